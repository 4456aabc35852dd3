package filters

import "acpshim/internal/wire"

// Three spellings of plan updates are alive: the capability is planCapabilities
// or plan, the id of a plan is id or planId. Readers of one ignore the other, so
// that messages with both are understood by all (protocol.md section 2). A
// client and an agent that can both do more than the legacy plan then meet,
// whichever they speak.

// mirror returns the edits that repeat a capability under its other name. A
// client that says both reads both: there is nothing to bridge.
func mirror(capabilities *wire.Object) []wire.Edit {
	plan, planCapabilities := capabilities.Raw("plan"), capabilities.Raw("planCapabilities")
	switch {
	case wire.IsObject(plan) && !wire.IsObject(planCapabilities):
		return capabilities.Set(wire.Setting{Name: "planCapabilities", Value: plan})
	case wire.IsObject(planCapabilities) && !wire.IsObject(plan):
		return capabilities.Set(wire.Setting{Name: "plan", Value: planCapabilities})
	}
	return nil
}

// bridge returns a session update of a capable client with both spellings of the
// plan's id. Others are returned as they are.
func bridge(line []byte, update *wire.Object) []byte {
	named := update // where the id stands
	switch kind, _ := update.Text("sessionUpdate"); kind {
	case "plan_update":
		named = update.Open("plan")
	case "plan_removed":
	default:
		return line
	}
	id, planID := named.Raw("id"), named.Raw("planId")
	var edits []wire.Edit
	switch {
	case isString(planID) && id == nil:
		edits = named.Set(wire.Setting{Name: "id", Value: planID})
	case isString(id) && planID == nil:
		edits = named.Set(wire.Setting{Name: "planId", Value: id})
	}
	return wire.Splice(nil, line, edits...)
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
