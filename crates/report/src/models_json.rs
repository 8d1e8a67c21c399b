//! The comparison of models as JSON, for `--json`.

use leadline_model::{Assessment, ModelComparison};
use serde_json::{Map, Value, json};

/// Every model, simplest first, and the best one's name.
///
/// Errors are in percent, parameters in the unit next to them, intervals 95 % `[low, high]`. What is not
/// known is `null`, never NaN; a model that could not be fitted has its name and what it needs, nothing else.
///
/// ```json
/// {"models":[{"name":"dam","mape_percent":31.0,"mape_cv_percent":35.2,"mape_cv_ci_percent":[29.8,41.0],
///   "classes":{"reads":33.1,"mixed":null},"parameters":{"page_read":{"value":9.1,"ci":[8.0,10.3],"unit":"us/page"}},
///   "points":84,"notes":[]},{"name":"pio","lacks":"..."}],"best":"dam"}
/// ```
pub fn models_json(comparison: &ModelComparison) -> Value {
    let models: Vec<Value> = comparison.models.iter().map(model).collect();
    json!({ "models": models, "best": comparison.best })
}

fn model(of: &Assessment) -> Value {
    if let Some(needs) = &of.needs {
        return json!({ "name": of.name, "lacks": needs });
    }
    let classes: Map<String, Value> =
        of.classes.iter().map(|(class, percent, _)| (class.name().to_owned(), number(*percent))).collect();
    let parameters: Map<String, Value> = of
        .parameters
        .iter()
        .map(|(p, ci)| {
            let value = json!({ "value": number(Some(p.value)), "ci": interval(*ci), "unit": p.unit });
            (p.name.clone(), value)
        })
        .collect();
    json!({
        "name": of.name,
        "mape_percent": number(of.mape_percent),
        "mape_cv_percent": number(of.held_out.map(|h| h.percent)),
        "mape_cv_ci_percent": interval(of.held_out.and_then(|h| h.percent_ci)),
        "classes": classes,
        "parameters": parameters,
        "points": of.points,
        "notes": of.remarks,
    })
}

fn number(value: Option<f64>) -> Value {
    value.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

/// `null` unless both ends are numbers: half an interval is none.
fn interval(ends: Option<[f64; 2]>) -> Value {
    match ends {
        Some([low, high]) if low.is_finite() && high.is_finite() => json!([low, high]),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use leadline_model::{ModelComparison, Observations, Parameter, WorkloadClass};

    use super::*;
    use crate::sample::{assessed, studied_profile};

    #[test]
    fn every_model_is_there_fitted_or_lacking() {
        let comparison = ModelComparison::new(Observations::from_profile(&studied_profile()));
        let json = models_json(&comparison);
        let models = json["models"].as_array().expect("a list");
        let names: Vec<&str> = models.iter().filter_map(|m| m["name"].as_str()).collect();
        assert_eq!(names, ["dam", "pdam", "affine", "pio", "mqssd", "shared"]);
        assert_eq!(json["best"].as_str(), comparison.best);
        for (m, of) in models.iter().zip(&comparison.models) {
            if of.needs.is_some() {
                assert_eq!(m.as_object().map(Map::len), Some(2), "{m}");
                continue;
            }
            assert_eq!(m["mape_cv_percent"].as_f64(), of.held_out.map(|h| h.percent));
            assert_eq!(m["classes"]["k >= 32"].as_f64(), of.class_percent(WorkloadClass::HighConcurrency));
            let (p, ci) = &of.parameters[0];
            assert_eq!(m["parameters"][&p.name]["value"].as_f64(), Some(p.value));
            assert_eq!(m["parameters"][&p.name]["ci"][1].as_f64(), ci.map(|ci| ci[1]));
            assert_eq!(m["parameters"][&p.name]["unit"], p.unit);
        }
    }

    #[test]
    fn what_is_not_known_is_null() {
        let mut odd = assessed("dam", None, 0.0);
        odd.mape_percent = Some(f64::NAN);
        odd.classes = vec![(WorkloadClass::Mixed, None, 0), (WorkloadClass::Reads, Some(f64::INFINITY), 3)];
        odd.parameters = vec![(Parameter::new("p", f64::NAN, ""), Some([1.0, f64::INFINITY]))];
        let comparison =
            ModelComparison { models: vec![odd], best: None, observations: Observations::default() };
        let json = models_json(&comparison);
        let model = &json["models"][0];
        for value in [
            &json["best"],
            &model["mape_percent"],
            &model["mape_cv_percent"],
            &model["mape_cv_ci_percent"],
            &model["classes"]["mixed"],
            &model["classes"]["reads"],
            &model["parameters"]["p"]["value"],
            &model["parameters"]["p"]["ci"],
        ] {
            assert!(value.is_null(), "{json}");
        }
        assert!(model.get("classes").is_some() && model["notes"].is_array(), "{json}");
        let text = serde_json::to_string(&json).expect("JSON");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}
