package view

import (
	"fmt"
	"strings"

	"acpshim/internal/history"
	"acpshim/internal/wire"
)

// mostChanged is how many places a row names.
const mostChanged = 6

// changed says in short where a message differs from the one whose place it took: "" if it is about
// something else.
func changed(m *history.Message) string {
	if m.Of == nil || m.Of.Method != m.Method || m.Of.Update != m.Update {
		return ""
	}
	var parts []string
	sign, parent := "", ""
	found := wire.Differences(m.Of.JSON, m.JSON)
	for _, d := range found[:min(len(found), mostChanged)] {
		path := strings.Join(d.Pointer, ".")
		for _, usual := range []string{"params.update.", "params.", "result."} {
			path = strings.TrimPrefix(path, usual)
		}
		in := path[:strings.LastIndexByte(path, '.')+1]
		switch {
		case d.Sign() != sign:
			parts = append(parts, d.Sign()+" "+path)
		case in == parent && in != "":
			parts[len(parts)-1] += ", ." + strings.TrimPrefix(path, in)
		default:
			parts[len(parts)-1] += ", " + path
		}
		sign, parent = d.Sign(), in
	}
	if more := len(found) - mostChanged; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, " ")
}
