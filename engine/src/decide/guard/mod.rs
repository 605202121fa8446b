//! stub
/// stub
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct CacheConfig {
    /// stub
    pub threshold: f32,
    /// stub
    pub max_entries: usize,
}
impl Default for CacheConfig { fn default() -> Self { Self { threshold: 0.9, max_entries: 1000 } } }
/// stub
pub struct Query(String);
impl Query {
    /// stub
    pub fn new(t: &str) -> Self { Self(t.to_owned()) }
}
/// stub
pub struct Verdict {
    /// stub
    pub hit: bool,
}
impl std::fmt::Display for Verdict { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "stub") } }
/// stub
pub trait Vocabulary {
    /// stub
    fn is_name(&self, w: &str) -> bool;
}
/// stub
pub fn check(a: &Query, b: &Query, _s: f32, _c: &CacheConfig, _v: &dyn Vocabulary) -> Verdict { Verdict { hit: a.0 == b.0 } }
