//! `siskin roles …`.

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{Actor, Role};
use siskin_persistence::Conn;
use siskin_policy::roles::{Permission, Permissions};
use siskin_services::roles::{self, RoleForm};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

/// What the operator calls the base role, which has no name.
const EVERYONE: &str = "everyone";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the roles, the highest first: id, priority, name, permissions
    List,
    /// Add a role, which `siskin accounts set-role` gives to accounts
    Create(Create),
    /// Change a role; it acts at the next request of its holders
    Edit(Edit),
    /// Delete a role; its holders have none afterwards
    Delete(Named),
}

#[derive(Debug, Args)]
pub struct Create {
    /// A name of at most 50 characters, which no other role has
    name: String,
    #[command(flatten)]
    values: Values,
}

#[derive(Debug, Args)]
pub struct Edit {
    /// The name of the role, or `everyone` for the base role of all users
    role: String,
    /// The new name
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    values: Values,
}

/// Values of a role that both commands set.
#[derive(Debug, Args)]
struct Values {
    /// What holders may do, by name and separated by commas, such as
    /// manage_reports,manage_users; an empty text for nothing
    #[arg(long, value_name = "NAMES", value_parser = parse_permissions)]
    permissions: Option<Permissions>,
    /// The rank from 1 to 999: holders act only on accounts and roles with a lower one
    #[arg(long)]
    priority: Option<i32>,
    /// The colour of the badge, such as #3366cc; an empty text for none
    #[arg(long)]
    color: Option<String>,
    /// Whether profiles of holders show the role as a badge
    #[arg(long, value_name = "BOOL")]
    highlighted: Option<bool>,
}

#[derive(Debug, Args)]
pub struct Named {
    /// The name of the role
    role: String,
}

fn parse_permissions(text: &str) -> Result<Permissions, String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let permission = |name| Permission::from_name(name).ok_or_else(|| unknown(name));
    names.map(permission).collect()
}

fn unknown(name: &str) -> String {
    let all: Vec<&str> = Permission::ALL.iter().map(|permission| permission.as_str()).collect();
    format!("there is no permission {name:?}, only {}", all.join(", "))
}

impl Values {
    fn is_empty(&self) -> bool {
        self.permissions.is_none()
            && self.priority.is_none()
            && self.color.is_none()
            && self.highlighted.is_none()
    }

    fn into_form(self, name: Option<String>) -> RoleForm {
        let Self { permissions, priority, color, highlighted } = self;
        RoleForm { name, color, permissions, priority, highlighted }
    }
}

pub fn run(options: &Options, command: Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => list(options, &site),
        Command::Create(Create { name, values }) => {
            let form = values.into_form(Some(name));
            let created = site.write(move |tx| roles::create(tx, Actor::Operator, &form))?;
            report(options, &created)
        }
        Command::Edit(edit) => self::edit(options, &site, edit),
        Command::Delete(Named { role }) => delete(options, &site, &role),
    }
}

fn edit(options: &Options, site: &Site, edit: Edit) -> Result<()> {
    let Edit { role, name, values } = edit;
    ensure!(
        name.is_some() || !values.is_empty(),
        "nothing to change: pass --name, --permissions, --priority, --color or --highlighted"
    );
    let (form, called) = (values.into_form(name), role.clone());
    let changed = site
        .write(move |tx| {
            let id = find(tx, &called)?.id;
            roles::update(tx, Actor::Operator, id, &form)
        })
        .with_context(|| format!("cannot change the role {role}"))?;
    report(options, &changed)
}

fn delete(options: &Options, site: &Site, name: &str) -> Result<()> {
    let called = name.to_owned();
    let id = site
        .write(move |tx| {
            let id = find(tx, &called)?.id;
            roles::delete(tx, Actor::Operator, id)?;
            Ok(id)
        })
        .with_context(|| format!("cannot delete the role {name}"))?;
    if options.json {
        return print_json(&json!({ "id": id, "is": "deleted" }));
    }
    print_line(&format!("Deleted the role {name}"))
}

/// Finds a role by the name that the operator uses for it.
fn find(conn: &mut Conn, name: &str) -> siskin_services::Result<Role> {
    match roles::named(conn, name) {
        Err(_) if name == EVERYONE => roles::everyone(conn),
        found => found,
    }
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let all = site.read(roles::list)?;
    let mut listing = Listing::new(options.json);
    all.iter().try_for_each(|role| listing.entry(&line(role), &to_json(role)))?;
    listing.end()
}

fn report(options: &Options, role: &Role) -> Result<()> {
    if options.json { print_json(&to_json(role)) } else { print_line(&line(role)) }
}

fn line(role: &Role) -> String {
    let badge = if role.highlighted { ", badge" } else { "" };
    let color = if role.color.is_empty() { String::new() } else { format!(", {}", role.color) };
    let permissions = permissions(role).join(",");
    let name = if role.is_everyone() { EVERYONE } else { &role.name };
    let line = format!("{}  {}  {name}{color}{badge}  {permissions}", role.id, role.position);
    line.trim_end().to_owned()
}

fn permissions(role: &Role) -> Vec<&'static str> {
    Permissions::from_bits(role.permissions).iter().map(Permission::as_str).collect()
}

fn to_json(role: &Role) -> Value {
    json!({
        "id": role.id,
        "name": role.name,
        "priority": role.position,
        "permissions": permissions(role),
        "color": role.color,
        "highlighted": role.highlighted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_are_parsed_by_name() {
        let parsed = |text: &str| parse_permissions(text).map(Permissions::bits);
        assert_eq!(parsed(""), Ok(0));
        assert_eq!(parsed("manage_reports, manage_users"), Ok(0x410));
        assert!(parsed("manage_reports,fly").unwrap_err().contains("invite_users"));
    }
}
