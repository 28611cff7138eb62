//! Paths of the contract, and the operations on them.

use serde_json::Value;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Method and path template of the contract, such as `GET /api/v1/lists/{id}`.
#[derive(Debug, Clone)]
pub struct Operation<'c> {
    name: String,
    pub(crate) description: &'c Value,
}

impl Operation<'_> {
    /// Returns the method and the path template, separated by a space.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the area of the interface, such as `lists`. `None` if the contract lacks it.
    #[must_use]
    pub fn area(&self) -> Option<&str> {
        self.description["tags"][0].as_str()
    }
}

/// Path of the contract with its operations.
#[derive(Debug)]
pub struct PathTemplate {
    template: String,
    segments: Vec<String>,
    item: Value,
}

impl PathTemplate {
    pub fn new(template: &str, item: &Value) -> Self {
        let segments = template.split('/').map(str::to_owned).collect();
        Self { template: template.to_owned(), segments, item: item.clone() }
    }

    pub fn count_parameters(&self) -> usize {
        self.segments.iter().filter(|segment| is_parameter(segment)).count()
    }

    /// Returns `true` if a path with these segments has this template.
    pub fn matches(&self, segments: &[&str]) -> bool {
        self.segments.len() == segments.len()
            && self
                .segments
                .iter()
                .zip(segments)
                .all(|(own, segment)| is_parameter(own) || own == segment)
    }

    /// Returns the operation with this method, in upper or lower case. `None` if there is none.
    pub fn operation(&self, method: &str) -> Option<Operation<'_>> {
        let description = self.item.get(method.to_ascii_lowercase())?;
        let name = format!("{} {}", method.to_ascii_uppercase(), self.template);
        Some(Operation { name, description })
    }

    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        METHODS.iter().filter_map(|method| self.operation(method))
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}
