package view

import (
	"strings"
	"testing"

	"acpshim/internal/text/terminal"
)

// A row names the changed places. The row of an added message has the reason.
func TestRowsSayWhatWasChanged(t *testing.T) {
	source := `{"kind":"message","seq":1,"dir":"client","stage":"in","by":["plan"],"why":["for an old client"],"msg":{"id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{}}}}}
{"kind":"message","seq":2,"dir":"client","stage":"out","of":1,"by":["plan"],"why":["for an old client"],"msg":{"id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{},"plan":{},"planCapabilities":{}}}}}
{"kind":"message","seq":3,"dir":"agent","stage":"out","place":"before","by":["plan"],"why":["held"],"msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}}
{"kind":"message","seq":4,"dir":"agent","msg":{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"title":"Do it"},"options":[]}}}
`
	var got []string
	for line := range strings.Lines(draw(t, terminal.Style{}, source)) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"1 0.000 -> - initialize protocol 1", "plan: for an old client", "2 0.000 -> + initialize [plan] + clientCapabilities.plan, .planCapabilities",
		"3 0.000 <- + plan 1 0 of 0 done", "plan: held", "4 0.000 <- session/request_permission 1 Do it",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("drawn are\n%s", strings.Join(got, "\n"))
	}
}
