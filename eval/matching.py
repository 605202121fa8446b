"""Decides whether a text contains a marker or a fact.

The rules are those of the reference golden set: case, accents and thousands separators do
not count, and a number in words equals the same number in digits (Portuguese and English).
Pure functions over strings; `eval/tests/test_matching.py` holds the cases.

Four details that the one-line rule leaves open, decided here:

* `1.234` and `1,234` are thousands (a group of exactly three digits after one to three
  digits, the first not zero); `0.765`, `12.5` and `1234.567` are decimals. When both
  separators occur the last one is the decimal separator.
* Numbers compare as values, so `60`, `60.0` and `60,00` are equal. Values are rounded to
  two decimals. A whole number with a leading zero is a code (`PC-04`) and keeps its zeros.
* A match never starts or ends inside a number: `20` is not found in `2011`, nor in `20.5`.
* `um`, `uma`, `a` and `one` are articles unless `mil`, `milhão`, `hundred`, ... follows.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal

_SMALL = {
    "zero": 0, "dois": 2, "duas": 2, "tres": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7,
    "oito": 8, "nove": 9, "dez": 10, "onze": 11, "doze": 12, "treze": 13, "quatorze": 14,
    "catorze": 14, "quinze": 15, "dezesseis": 16, "dezessete": 17, "dezoito": 18,
    "dezenove": 19, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19,
}
_TENS = {
    "vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "sessenta": 60,
    "setenta": 70, "oitenta": 80, "noventa": 90, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}
_HUNDREDS = {
    "cem": 100, "cento": 100, "duzentos": 200, "duzentas": 200, "trezentos": 300,
    "trezentas": 300, "quatrocentos": 400, "quatrocentas": 400, "quinhentos": 500,
    "quinhentas": 500, "seiscentos": 600, "seiscentas": 600, "setecentos": 700,
    "setecentas": 700, "oitocentos": 800, "oitocentas": 800, "novecentos": 900,
    "novecentas": 900,
}
_SCALES = {
    "mil": 1000, "thousand": 1000, "milhao": 10**6, "milhoes": 10**6, "million": 10**6,
    "bilhao": 10**9, "bilhoes": 10**9, "billion": 10**9,
}
_ONES = {"um", "uma", "one", "a"}
_UNITS_AFTER_TENS = {"um": 1, "uma": 1, "one": 1}

_NUMBER = re.compile(r"\d[\d.,\u00a0\u202f]*\d|\d")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|\s+|.", re.UNICODE)


def fold(text: str) -> str:
    """Returns `text` in lower case, without accents, with single spaces and plain signs."""
    decomposed = unicodedata.normalize("NFKD", keep_narrow_spaces(text))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
    for sign in "\u2010\u2011\u2012\u2013\u2014\u2212":
        plain = plain.replace(sign, "-")
    return plain.replace("\u2019", "'").replace("\u201c", '"').replace("\u201d", '"')


def keep_narrow_spaces(text: str) -> str:
    """Joins digit groups set apart by a no-break or narrow space (`1 234`), a thousands sign."""
    return re.sub(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))", "", text)


def canonical_number(token: str) -> str:
    """Returns the number in `token` as plain digits with at most two decimals.

    `1.234.567,50` and `1,234,567.5` both give `1234567.5`. A token that is no single
    number (a date with dots, a list) comes back as it is.
    """
    if re.fullmatch(r"0\d+", token):
        return token
    dots, commas = token.count("."), token.count(",")
    if dots and commas:
        decimal = "." if token.rfind(".") > token.rfind(",") else ","
        grouping = "," if decimal == "." else "."
        if token.count(decimal) != 1:
            return token
        whole, fraction = token.split(decimal)
        if not re.fullmatch(r"\d{1,3}(?:" + re.escape(grouping) + r"\d{3})+", whole):
            return token
        return _plain(whole.replace(grouping, "") + "." + fraction)
    if dots or commas:
        sign = "." if dots else ","
        if re.fullmatch(r"[1-9]\d{0,2}(?:" + re.escape(sign) + r"\d{3})+", token):
            return token.replace(sign, "")
        if token.count(sign) == 1:
            return _plain(token.replace(sign, "."))
        return token
    return token


def _plain(number: str) -> str:
    value = Decimal(number).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _words_to_digits(text: str) -> str:
    """Replaces number words by digits in folded text (`vinte e quatro` -> `24`)."""
    tokens = _TOKEN.findall(text)
    output: list[str] = []
    index = 0
    while index < len(tokens):
        value, length = _read_number(tokens, index)
        if length:
            output.append(value)
            index += length
        else:
            output.append(tokens[index])
            index += 1
    return "".join(output)


def _next_word(tokens: list[str], index: int) -> tuple[str, int]:
    """Returns the next word and its index, past spaces, one hyphen or a linking `e`/`and`."""
    while index < len(tokens) and (tokens[index].isspace() or tokens[index] == "-"):
        index += 1
    if index < len(tokens):
        return tokens[index], index
    return "", index


def _read_number(tokens: list[str], start: int) -> tuple[str, int]:
    """Reads one number that begins at `tokens[start]`; length 0 when there is none.

    The scales of a number fall (`million`, `thousand`), tens follow hundreds and units
    follow tens; anything else ends the number, so `dois, tres` stays two numbers.
    """
    total, group, last = 0, 0, 1000
    index, end, seen = start, start, False
    digits_first = tokens[start].isdigit() and not tokens[start].startswith("0")
    scale_limit = 10**12
    while index < len(tokens):
        word = tokens[index]
        if word.isdigit() and digits_first and index == start:
            group, last = int(word), 0
        elif word in _HUNDREDS and last > 100:
            group, last = group + _HUNDREDS[word], 100
        elif word == "hundred" and 0 < group < 10 and last <= 10:
            group, last = group * 100, 100
        elif word in _TENS and last > 10:
            group, last = group + _TENS[word], 10
        elif word in _SMALL and (last > 10 or (last == 10 and _SMALL[word] < 10)):
            group, last = group + _SMALL[word], 1
        elif word in _UNITS_AFTER_TENS and last in (10, 100):
            group, last = group + 1, 1
        elif word in _ONES and not seen and _scale_follows(tokens, index):
            group, last = 1, 1
        elif word in _SCALES and _SCALES[word] < scale_limit and (seen or word == "mil"):
            scale_limit = _SCALES[word]
            total += (group or 1) * scale_limit
            group, last = 0, 1000
        else:
            break
        seen, end = True, index + 1
        word, after = _next_word(tokens, end)
        if word in ("e", "and"):
            word, after = _next_word(tokens, after + 1)
        if after == end and after < len(tokens) and not digits_first:
            break
        index = after
    if not seen or (digits_first and end == start + 1):
        return "", 0
    return str(total + group), end - start


def _scale_follows(tokens: list[str], index: int) -> bool:
    word, _ = _next_word(tokens, index + 1)
    english = word in ("hundred", "thousand", "million", "billion")
    return english or (tokens[index] != "a" and word in _SCALES)


def normalise(text: str) -> str:
    """Returns the form in which texts are compared."""
    text = fold(text)
    text = _NUMBER.sub(lambda match: canonical_number(match.group()), text)
    text = re.sub(r"\s*(?:%|\bpor cento\b(?! e )|\bper ?cent\b)", "%", text)
    text = _words_to_digits(text)
    text = re.sub(r"\br\$\s*", "r$", text)
    text = re.sub(r"[*_`#>|]+", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def contains(text: str, wanted: str) -> bool:
    """Says whether `text` contains `wanted` under the rules of this module."""
    return contains_normalised(normalise(text), wanted)


def contains_normalised(normal_text: str, wanted: str) -> bool:
    """Same as `contains` for a text that went through `normalise` already."""
    needle = normalise(wanted)
    if not needle:
        return True
    start = normal_text.find(needle)
    while start >= 0:
        if _outside_numbers(normal_text, start, start + len(needle)):
            return True
        start = normal_text.find(needle, start + 1)
    return False


def _outside_numbers(text: str, start: int, end: int) -> bool:
    """Says whether neither end of `text[start:end]` lies inside a number."""
    if text[start].isdigit() and re.search(r"\d[.,]?$", text[:start]):
        return False
    return not (text[end - 1].isdigit() and re.match(r"[.,]?\d", text[end:]))


def matches(text: str, wanted: str | list[str]) -> bool:
    """Says whether `text` contains `wanted`, or one of them when it is a list."""
    options = [wanted] if isinstance(wanted, str) else wanted
    normal = normalise(text)
    return any(contains_normalised(normal, option) for option in options)
