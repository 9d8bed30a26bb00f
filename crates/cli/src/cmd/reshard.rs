//! `bitstride reshard`: the operation `reshard` on two tensors over devices; as JSON the bytes of each device.
//!
//! The object is `{"movement", "devices", "received": […], "total", "collective": […], "groups": {"count", "size", "first": […]}?}`.

use std::io;

use bitstride::Error;
use bitstride::sharding::Reshard as Plan;
use bitstride_lang::evaluate_in;
use serde_json::{Map, json};

use crate::args::Reshard;
use crate::session::{Session, text_of};

pub(crate) fn run(args: &Reshard, session: &mut Session) -> io::Result<u8> {
    let (source, target) = match (text_of(&args.source), text_of(&args.to)) {
        (Ok(source), Ok(target)) => (source, target),
        (Err(error), _) | (_, Err(error)) => return session.refuse("", &error),
    };
    if !session.json {
        return session.evaluate(&format!("reshard({source}, {target})"));
    }
    match plan(source, target, session) {
        Ok(plan) => {
            session.object(object(&plan))?;
            Ok(0)
        }
        Err((text, error)) => session.refuse(&text, &error),
    }
}

fn plan(source: &str, target: &str, session: &Session) -> Result<Plan, (String, Error)> {
    let sharding = |text: &str| {
        let answer = evaluate_in(text, session.ints.reading(), &session.names);
        answer.and_then(|answer| answer.value.as_sharding()).map_err(|error| (text.to_owned(), error))
    };
    sharding(source)?.reshard(&sharding(target)?).map_err(|error| (String::new(), error))
}

fn object(plan: &Plan) -> Map<String, serde_json::Value> {
    let mut object = Map::new();
    object.insert("movement".into(), json!(plan.movement.to_string()));
    object.insert("devices".into(), json!(plan.devices));
    object.insert("received".into(), json!(plan.received));
    object.insert("total".into(), json!(plan.total().to_string()));
    object.insert("collective".into(), json!(plan.collective));
    if let Some(groups) = &plan.groups {
        let first = groups.members(0);
        object.insert("groups".into(), json!({"count": groups.count, "size": groups.size, "first": first}));
    }
    object
}
