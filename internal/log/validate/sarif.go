package validate

import (
	"cmp"
	"fmt"
	"net/url"

	"acpshim/internal/text/terminal"
)

type object map[string]any

// SARIF returns the report as a value whose JSON is SARIF 2.1.0, for code scanners. A location is
// the file of the record and the number of the message. Version is acpshim's.
func (r Report) SARIF(version string) any {
	uri := url.PathEscape(cmp.Or(r.Record, "record")) + ".jsonl"
	results := []any{}
	for _, f := range r.Findings {
		at := object{
			"physicalLocation": object{"artifactLocation": object{"uri": uri}},
			"logicalLocations": []any{object{"fullyQualifiedName": fmt.Sprintf("%d%s", f.Seq, terminal.Plain(f.Pointer, 1000)), "kind": "object"}},
		}
		text := fmt.Sprintf("#%d, %s from %s: %s", f.Seq, f.Name, f.group().From, f.Text)
		results = append(results, object{
			"ruleId": "acp-schema-" + f.level(), "level": f.level(), "locations": []any{at},
			"message": object{"text": terminal.Plain(text, 1000)},
		})
	}
	rule := func(id, says string) object { return object{"id": id, "shortDescription": object{"text": says}} }
	driver := object{"name": "acpshim", "version": version, "rules": []any{
		rule("acp-schema-error", "A message does not match the schema of the Agent Client Protocol."),
		rule("acp-schema-note", "A message has an extension, or something that not every schema knows."),
	}}
	run := object{"tool": object{"driver": driver}, "results": results}
	if !r.Known {
		run["invocations"] = []any{object{"executionSuccessful": true, "toolExecutionNotifications": []any{
			object{"level": "warning", "message": object{"text": "nothing was checked: there is no schema for version " + r.Version + ", which was negotiated"}},
		}}}
	}
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []any{run}}
}
