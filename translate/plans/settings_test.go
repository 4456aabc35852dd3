package plans

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWherePlanSupportIsAnnounced(t *testing.T) {
	for capabilities, want := range map[string]string{
		`,"clientCapabilities":{"fs":{}}`: `,"clientCapabilities":{"fs":{},"plan":{},"planCapabilities":{}}`,
		`,"clientCapabilities":null`:      `,"clientCapabilities":{"plan":{},"planCapabilities":{}}`,
		``:                                `,"clientCapabilities":{"plan":{},"planCapabilities":{}}`,
		`,"clientCapabilities":7`:         `,"clientCapabilities":7`,
	} {
		hello := func(capabilities string) string {
			return call(0, "initialize", `{"protocolVersion":1`+capabilities+`}`)
		}
		c := newRelay(options{Settings: settings{Advertise: true}})
		if got := through(c.FromClient(), hello(capabilities)); got != hello(want)+"\n" {
			t.Errorf("%s: the agent got %s", capabilities, got)
		}
	}
}

// Advertise is decided for the client alone. The other settings are decided when the agent is
// known.
func TestSettingsForTwoPeers(t *testing.T) {
	var asked []string
	c := newRelay(options{
		Settings: settings{Advertise: true}, // For takes its place
		For: func(client, agent Implementation) settings {
			asked = append(asked, client.Name+" "+client.Version+" | "+agent.Name)
			return settings{Advertise: agent.Name != "", Gates: []string{"notices"}, ShowAs: map[string]ShowAs{"teller": AsMessage}[agent.Name]}
		},
	})
	hello := strings.Replace(initialize, `"clientCapabilities"`, `"clientInfo":{"name":"editor","version":"1"},"clientCapabilities"`, 1)
	if got := through(c.FromClient(), hello); got != hello+"\n" {
		t.Errorf("the agent got %s", got)
	}
	through(c.FromAgent(), strings.Replace(initialized, `}}`, `,"agentInfo":{"name":"teller"}}}`, 1))
	if diff := cmp.Diff([]string{"editor 1 | ", "editor 1 | teller"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	through(c.FromClient(), `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	if got := through(c.FromAgent(), planUpdate("s", "p", "- [ ] a")); got != "" {
		t.Errorf("a plan that is told as a message: %s", got)
	}
	if got := through(c.FromAgent(), `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}`); got != "" {
		t.Errorf("a notice: %s", got)
	}
	if got := through(c.FromAgent(), `{"jsonrpc":"2.0","id":3,"result":{}}`); !strings.Contains(got, `"agent_message_chunk"`) {
		t.Errorf("at the end of the turn: %s", got)
	}
}
