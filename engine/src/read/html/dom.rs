//! The tree that html5ever builds: nodes in one vector, so that dropping and walking it never
//! recurses.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, parse_document};

/// Index of a node.
pub(super) type Id = usize;

/// Bytes fed to the parser before the tree is measured again.
const FED_AT_ONCE: usize = 16_384;
/// Nodes that a byte may make: misnested formatting is repeated by the rules of HTML.
const NODES_PER_BYTE: usize = 4;

/// A parsed page.
pub(super) struct Dom {
    nodes: Vec<Node>,
}

struct Node {
    parent: Option<Id>,
    children: Vec<Id>,
    depth: usize,
    data: Data,
}

enum Data {
    Element { name: QualName, attributes: Vec<Attribute>, contents: Option<Id> },
    Text(String),
    Other,
}

impl Dom {
    /// Parses a page.
    ///
    /// # Errors
    /// Levels found, when elements are nested deeper than `max_depth`.
    pub fn parse(text: &str, max_depth: usize) -> Result<Self, usize> {
        let sink = Sink::default();
        let mut options = ParseOpts::default();
        options.tree_builder.scripting_enabled = false;
        let mut parser = parse_document(sink, options);
        let (mut rest, mut fed) = (text, 0);
        while !rest.is_empty() {
            let mut end = rest.len().min(FED_AT_ONCE);
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            parser.process(StrTendril::from_slice(&rest[..end]));
            rest = &rest[end..];
            fed += end;
            // The parser's work grows with the square of the open elements.
            let sink = &parser.tokenizer.sink.sink;
            let (deepest, nodes) = (*sink.deepest.borrow(), sink.nodes.borrow().len());
            if deepest > max_depth || nodes > fed * NODES_PER_BYTE + FED_AT_ONCE {
                return Err(deepest.max(max_depth + 1));
            }
        }
        Ok(parser.finish())
    }

    /// The document.
    pub fn root(&self) -> Id {
        0
    }

    /// Children of a node.
    pub fn children(&self, id: Id) -> &[Id] {
        &self.nodes[id].children
    }

    /// Name of an element in lower case; empty for anything else.
    pub fn name(&self, id: Id) -> &str {
        match &self.nodes[id].data {
            Data::Element { name, .. } => &name.local,
            _ => "",
        }
    }

    /// Text of a text node.
    pub fn text(&self, id: Id) -> Option<&str> {
        match &self.nodes[id].data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An attribute of an element.
    pub fn attribute(&self, id: Id, wanted: &str) -> Option<&str> {
        match &self.nodes[id].data {
            Data::Element { attributes, .. } => {
                attributes.iter().find(|one| &*one.name.local == wanted).map(|one| &*one.value)
            }
            _ => None,
        }
    }

    /// A node and everything inside, in document order.
    pub fn descendants(&self, id: Id) -> impl Iterator<Item = Id> {
        let mut open = vec![id];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(self.nodes[next].children.iter().rev());
            Some(next)
        })
    }
}

/// Takes what the parser finds.
struct Sink {
    nodes: RefCell<Vec<Node>>,
    deepest: RefCell<usize>,
}

impl Default for Sink {
    fn default() -> Self {
        let root = Node { parent: None, children: Vec::new(), depth: 0, data: Data::Other };
        Self { nodes: RefCell::new(vec![root]), deepest: RefCell::new(0) }
    }
}

/// Name of an element, for the parser.
#[derive(Debug)]
struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl Sink {
    fn add(&self, data: Data) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { parent: None, children: Vec::new(), depth: 0, data });
        nodes.len() - 1
    }

    /// Puts a child into `parent` before position `at`.
    fn insert(&self, parent: Id, at: usize, child: NodeOrText<Id>) {
        let child = match child {
            NodeOrText::AppendNode(child) => {
                self.detach(child);
                child
            }
            NodeOrText::AppendText(text) => {
                let mut nodes = self.nodes.borrow_mut();
                let before = at.checked_sub(1).and_then(|at| nodes[parent].children.get(at).copied());
                if let Some(before) = before
                    && let Data::Text(known) = &mut nodes[before].data
                {
                    known.push_str(&text);
                    return;
                }
                drop(nodes);
                self.add(Data::Text(text.to_string()))
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent].depth + 1;
        let at = at.min(nodes[parent].children.len());
        nodes[parent].children.insert(at, child);
        (nodes[child].parent, nodes[child].depth) = (Some(parent), depth);
        let mut deepest = self.deepest.borrow_mut();
        *deepest = depth.max(*deepest);
    }

    fn detach(&self, child: Id) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(parent) = nodes[child].parent.take()
            && let Some(at) = nodes[parent].children.iter().rposition(|one| *one == child)
        {
            nodes[parent].children.remove(at);
        }
    }
}

impl TreeSink for Sink {
    type Handle = Id;
    type Output = Dom;
    type ElemName<'a> = Name;

    fn finish(self) -> Dom {
        Dom { nodes: self.nodes.into_inner() }
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Name {
        match &self.nodes.borrow()[*target].data {
            Data::Element { name, .. } => Name(name.clone()),
            _ => Name(QualName::new(None, Namespace::default(), LocalName::default())),
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Id {
        let contents = flags.template.then(|| self.add(Data::Other));
        self.add(Data::Element { name, attributes, contents })
    }

    fn create_comment(&self, _text: StrTendril) -> Id {
        self.add(Data::Other)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Id {
        self.add(Data::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        let last = self.nodes.borrow()[*parent].children.len();
        self.insert(*parent, last, child);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        if self.nodes.borrow()[*element].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &Id) -> Id {
        match &self.nodes.borrow()[*target].data {
            Data::Element { contents: Some(contents), .. } => *contents,
            _ => *target,
        }
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        if let NodeOrText::AppendNode(child) = &child {
            self.detach(*child);
        }
        let place = {
            let nodes = self.nodes.borrow();
            nodes[*sibling].parent.and_then(|parent| {
                let at = nodes[parent].children.iter().rposition(|one| one == sibling)?;
                Some((parent, at))
            })
        };
        if let Some((parent, at)) = place {
            self.insert(parent, at, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, attributes: Vec<Attribute>) {
        if let Data::Element { attributes: known, .. } = &mut self.nodes.borrow_mut()[*target].data {
            for attribute in attributes {
                if known.iter().all(|one| one.name != attribute.name) {
                    known.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        let mut nodes = self.nodes.borrow_mut();
        let children = std::mem::take(&mut nodes[*node].children);
        let depth = nodes[*new_parent].depth + 1;
        for child in &children {
            (nodes[*child].parent, nodes[*child].depth) = (Some(*new_parent), depth);
        }
        nodes[*new_parent].children.extend(children);
    }
}
