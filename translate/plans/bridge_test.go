package plans

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/translate"
	"acpshim/translate/entry"

	"github.com/google/go-cmp/cmp"
)

// The test covers all ways to announce plan updates, to name a plan, and all kinds of update. A
// capable client gets the agent's line with the missing key added and no other change. An old
// client gets the legacy plan.
func TestDialects(t *testing.T) {
	clients := map[string]struct {
		capabilities string
		capable      bool
		toAgent      string // what the agent gets of it
	}{
		"old":              {`{"fs":{}}`, false, `{"fs":{},"plan":{},"planCapabilities":{}}`},
		"null":             {`{"plan":null}`, false, `{"plan":{},"planCapabilities":{}}`},
		"plan":             {`{"plan":{"a":1}}`, true, `{"plan":{"a":1},"planCapabilities":{"a":1}}`},
		"planCapabilities": {`{"planCapabilities":{}}`, true, `{"planCapabilities":{},"plan":{}}`},
		"both":             {`{"plan":{},"planCapabilities":{}}`, true, ""},
	}
	ids := map[string]struct{ named, bridged string }{
		"id":     {`"id":"p"`, `"id":"p"%s,"planId":"p"`},
		"planId": {`"planId":"p"`, `"planId":"p"%s,"id":"p"`},
		"both":   {`"id":"p","planId":"p"`, `"id":"p","planId":"p"%s`},
	}
	kinds := map[string]struct{ before, after, between, shown string }{
		"items":    {`{"sessionUpdate":"plan_update","plan":{"type":"items",`, `}}`, `,"entries":[{"content":"planId","priority":"low","status":"pending","_meta":{"planId":7}}]`, "[ ] planId"},
		"markdown": {`{"sessionUpdate":"plan_update","plan":{"type":"markdown",`, `}}`, `,"content":"- [x] \"planId\": x"`, `[x] "planId": x`},
		"file":     {`{"sessionUpdate":"plan_update","plan":{"type":"file",`, `}}`, `,"uri":"file:///p.md"`, "[~] read"},
		"removed":  {`{"sessionUpdate":"plan_removed",`, `}`, ``, ""},
	}
	const head, tail = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":`, "}}\n"
	read := func(string, []string) (string, error) { return "- [/] read", nil }

	for client, say := range clients {
		for spelling, id := range ids {
			for kind, k := range kinds {
				t.Run(fmt.Sprintf("%s client/%s/%s", client, spelling, kind), func(t *testing.T) {
					c := newRelay(options{Settings: settings{Advertise: true, Bridge: true}, ReadFile: read})
					hello := func(capabilities string) string {
						return strings.Replace(initialize, `"clientCapabilities":{}`, `"clientCapabilities":`+capabilities, 1)
					}
					want := hello(say.capabilities)
					if say.toAgent != "" {
						want = hello(say.toAgent)
					}
					if got := through(c.FromClient(), hello(say.capabilities)); got != want+"\n" {
						t.Errorf("the agent got %s, want %s", got, want)
					}
					through(c.FromAgent(), initialized)
					if kind == "removed" && !say.capable {
						through(c.FromAgent(), planUpdate("s", "p", "- [ ] gone"))
					}

					got := through(c.FromAgent(), strings.TrimSuffix(head+k.before+id.named+k.between+k.after+tail, "\n"))
					if say.capable {
						want := head + k.before + id.named + k.between + k.after + tail
						if say.toAgent != "" {
							want = head + k.before + fmt.Sprintf(id.bridged, k.between) + k.after + tail
						}
						if got != want {
							t.Errorf("the client got\n%swant\n%s", got, want)
						}
						return
					}
					if diff := cmp.Diff(k.shown, checklist(t, got)); diff != "" || strings.Contains(got, `"planId":"p"`) {
						t.Errorf("the client got %s; plan (-want +got):\n%s", got, diff)
					}
				})
			}
		}
	}
}

// checklist draws the legacy plan in a line.
func checklist(t *testing.T, line string) string {
	msg, err := wire.Parse([]byte(line), "params", "params.update")
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	u, err := translate.Decode(msg.Open("params").Open("update"))
	if err != nil || u.Kind != translate.Legacy || u.Flawed {
		t.Fatalf("%q is no good legacy plan: %v", line, err)
	}
	var drawn []string
	for _, e := range u.Entries {
		box := map[entry.Status]string{entry.Pending: "[ ] ", entry.InProgress: "[~] ", entry.Completed: "[x] "}[e.Status]
		drawn = append(drawn, box+e.Content)
	}
	return strings.Join(drawn, "\n")
}
