//! One element, followed through every layout of the sheet.

use bitstride::map::{Direction, Map};
use bitstride::{Code, Error, error};
use bitstride_draw::scene::{element_at, element_number, place_number};
use bitstride_lang::{Line, Sheet};
use serde_json::{Map as Object, Value as Json, json};

use crate::{refused, unknown};

/// `{"places": […]}`: where the element lies in each of the named layouts, or in all.
pub(crate) fn places(sheet: &Sheet, element: &str, names: &str) -> Json {
    let Ok(element) = element.trim().parse::<i64>() else {
        return unknown(&format!("an element is a number of digits, not {element:?}"));
    };
    let names: Vec<String> = match serde_json::from_str(names) {
        Ok(names) => names,
        Err(error) => return unknown(&format!("the names are no list of texts: {error}")),
    };
    let mut places = Vec::new();
    for line in sheet.lines() {
        let (Some(name), Ok(answer)) = (&line.name, &line.outcome) else { continue };
        let is_asked = names.contains(name);
        if !names.is_empty() && !is_asked || is_bound_again(sheet, line) {
            continue;
        }
        let Ok(map) = answer.value.as_map() else { continue };
        let mut object = Object::from_iter([("name".to_owned(), Json::from(name.as_str()))]);
        match place(&map, element) {
            Ok(found) => object.extend(found.written(name, &map)),
            // A layout of fewer elements is not one of this tensor, which is said only where it was asked.
            Err(_) if !is_asked => continue,
            Err(error) => object.extend(crate::sheet::members(refused("", &error, "", 0))),
        }
        places.push(Json::Object(object));
    }
    json!({ "places": places })
}

fn is_bound_again(sheet: &Sheet, line: &Line) -> bool {
    let later = sheet.lines().iter().filter(|other| other.span.start > line.span.start);
    later.into_iter().any(|other| other.name == line.name && other.outcome.is_ok())
}

/// An element and where it lies.
struct Found {
    element: i64,
    coordinate: Vec<i64>,
    place: Option<Vec<i64>>,
    /// How many places hold it.
    copies: usize,
}

fn place(map: &Map, element: i64) -> Result<Found, Error> {
    let coordinate = element_at(map, element)
        .ok_or_else(|| error!(Code::Range, "{map} has no element {element}", [map, element]))?;
    let (place, copies) = match map.direction() {
        Direction::ToPlace => (map.at(&coordinate)?, 1),
        Direction::ToIndex => {
            let places = map.preimages(&coordinate)?;
            (places.first().cloned(), places.len())
        }
    };
    Ok(Found { element, coordinate, place, copies })
}

impl Found {
    fn written(&self, name: &str, map: &Map) -> Object<String, Json> {
        let coordinate = numbers(&self.coordinate);
        let mut object = Object::new();
        object
            .insert("element".into(), element_number(map, &self.coordinate).unwrap_or(self.element).to_string().into());
        object.insert("coordinate".into(), coordinate.clone().into());
        let place = match &self.place {
            Some(place) => {
                object.insert("place".into(), json!(place_number(map, place).map(|place| place.to_string())));
                let axes = map.place_axes().iter().zip(place);
                let axes = axes.map(|(axis, at)| (axis.name.to_string(), Json::from(at.to_string())));
                object.insert("axes".into(), Json::Object(axes.clone().collect()));
                object.insert("copies".into(), self.copies.to_string().into());
                match map.place_axes() {
                    [_] => numbers(place),
                    _ => axes
                        .map(|(name, at)| format!("{name} {}", at.as_str().unwrap_or_default()))
                        .collect::<Vec<_>>()
                        .join(", "),
                }
            }
            None => {
                object.insert("place".into(), Json::Null);
                "nowhere".to_owned()
            }
        };
        object.insert("text".into(), format!("{name}: element {} = {coordinate} -> {place}", self.element).into());
        object
    }
}

fn numbers(point: &[i64]) -> String {
    match point {
        [only] => only.to_string(),
        _ => format!("({})", point.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
    }
}
