package dialect

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// initialized returns the dispatcher of an adapter after initialize, and the request that the
// agent got. The numbers are the versions of client and agent.
func initialized(isOn bool, client, agent int, capabilities string) (d *dispatch.Dispatcher, asked string) {
	c := conversation.New(conversation.Options{})
	a := New(func(conversation.Implementation) bool { return isOn })
	d = dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	line, _ := wire.Apply(d.FromClient(), nil, fmt.Appendf(nil,
		`{"id":1,"method":"initialize","params":{"protocolVersion":%d,"clientCapabilities":%s}}`, client, capabilities))
	wire.Apply(d.FromAgent(), nil, fmt.Appendf(nil, `{"id":1,"result":{"protocolVersion":%d}}`, agent))
	_, asked, _ = strings.Cut(strings.TrimSuffix(string(line), "}}"), `"clientCapabilities":`)
	return d, asked
}

func TestCapabilitiesHaveBothSpellings(t *testing.T) {
	for _, test := range []struct {
		isOn               bool
		version            int
		capabilities, want string
	}{
		{true, 1, `{"plan":{"a":1}}`, `{"plan":{"a":1},"planCapabilities":{"a":1}}`},
		{true, 1, `{"planCapabilities":{"a":1}}`, `{"planCapabilities":{"a":1},"plan":{"a":1}}`},
		{true, 1, `{"planCapabilities":null,"plan":{}}`, `{"planCapabilities":{},"plan":{}}`},
		{true, 1, `{"plan":{},"planCapabilities":{"a":1}}`, `{"plan":{},"planCapabilities":{"a":1}}`},
		{true, 1, `{"plan":true}`, `{"plan":true}`},
		{true, 1, `{}`, `{}`},
		{true, 1, `null`, `null`},
		{true, 2, `{"plan":{}}`, `{"plan":{}}`},
		{false, 1, `{"plan":{}}`, `{"plan":{}}`},
	} {
		if _, got := initialized(test.isOn, test.version, 1, test.capabilities); got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}

const (
	update  = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{%s}}}}`
	removed = `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed",%s}}}`
)

func TestIDsHaveBothSpellings(t *testing.T) {
	d, _ := initialized(true, 1, 1, `{"plan":{}}`)
	for members, want := range map[string]string{
		`"id":"a"`:                           `"id":"a","planId":"a"`,
		`"planId":"a","entries":[{"id":1}]`:  `"planId":"a","entries":[{"id":1}],"id":"a"`,
		`"id":null,"planId":"a"`:             `"id":"a","planId":"a"`,
		`"id":"a","planId":"b"`:              `"id":"a","planId":"b"`,
		`"id":7`:                             `"id":7`,
		`"planId":"a","planId":"b"`:          `"planId":"a","planId":"b"`,
		`"type":"markdown","content":"id"  `: `"type":"markdown","content":"id"  `,
	} {
		for _, format := range []string{update, removed} {
			got, _ := wire.Apply(d.FromAgent(), nil, fmt.Appendf(nil, format, members))
			if want := fmt.Sprintf(format, want); string(got) != want {
				t.Errorf(" got %s\nwant %s", got, want)
			}
		}
	}
}

func TestIDsStayIfTheCapabilityHadBothSpellings(t *testing.T) {
	line := fmt.Sprintf(update, `"id":"a"`)
	for name, d := range map[string]*dispatch.Dispatcher{
		"off":                     first(initialized(false, 1, 1, `{"plan":{}}`)),
		"both are the client's":   first(initialized(true, 1, 1, `{"plan":{},"planCapabilities":{}}`)),
		"no plan updates":         first(initialized(true, 1, 1, `{}`)),
		"the agent has version 2": first(initialized(true, 1, 2, `{"plan":{}}`)),
	} {
		if got, _ := wire.Apply(d.FromAgent(), nil, []byte(line)); string(got) != line {
			t.Errorf("%s: got %s", name, got)
		}
	}
	d, _ := initialized(true, 1, 1, `{"planCapabilities":{}}`)
	other := strings.Replace(line, "plan_update", "tool_call", 1)
	if got, _ := wire.Apply(d.FromAgent(), nil, []byte(other)); string(got) != other {
		t.Errorf("another update: got %s", got)
	}
}

func first(d *dispatch.Dispatcher, _ string) *dispatch.Dispatcher { return d }

// Another adapter announces plan support for the old client.
func TestAnOldClientIsNotBridged(t *testing.T) {
	c := conversation.New(conversation.Options{})
	a := New(func(conversation.Implementation) bool { return true })
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{announcer{}, a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	wire.Apply(d.FromClient(), nil, []byte(`{"id":1,"method":"initialize","params":{"protocolVersion":1}}`))
	wire.Apply(d.FromAgent(), nil, []byte(`{"id":1,"result":{"protocolVersion":1}}`))
	line := fmt.Sprintf(update, `"id":"a"`)
	if got, _ := wire.Apply(d.FromAgent(), nil, []byte(line)); string(got) != line {
		t.Errorf("got %s", got)
	}
}

// An announcer announces plan support for every client.
type announcer struct{ dispatch.Base }

func (announcer) Name() string { return "announcer" }

func (announcer) Handle(m *dispatch.Message) {
	if m.From == dispatch.Client {
		m.Announce()
	}
}

// FuzzOtherLinesStay: a line without the id of a plan stays as it is.
func FuzzOtherLinesStay(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(update, `"type":"markdown"`)))
	f.Add([]byte(`[` + fmt.Sprintf(removed, `"_meta":{}`) + `]`))
	d, _ := initialized(true, 1, 1, `{"plan":{}}`)
	f.Fuzz(func(t *testing.T, line []byte) {
		if strings.ContainsAny(string(line), "\n\\") || strings.Contains(string(line), `"id"`) || strings.Contains(string(line), `"planId"`) {
			return
		}
		if got, _ := wire.Apply(d.FromAgent(), nil, line); string(got) != string(line) {
			t.Errorf("%q became %q", line, got)
		}
	})
}
