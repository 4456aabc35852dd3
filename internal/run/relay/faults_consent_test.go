package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/setup/config"
	"acpshim/proxy"
)

// A yes reaches the agent only where the client chose it, or where a rule allows the call as the
// agent has described it by then. This tries every combination of what the agent announces, what
// its request repeats, the rules, the options, and what the client responds, in both versions.
func TestEveryYesWasGiven(t *testing.T) {
	const allow, reject = "[[permission]]\nname = 'a'\n%s\nanswer = 'allow_once'\n", "[[permission]]\nname = 'r'\n%s\nanswer = 'reject_once'\n"
	rules := map[string]struct {
		toml   string
		allows func(kind, title string) bool // of the whole call
	}{
		"none": {"", func(string, string) bool { return false }},
		"all": {fmt.Sprintf(allow, "title = '*'"), func(kind, _ string) bool {
			return kind != "" && kind != "switch_mode"
		}},
		"reads": {fmt.Sprintf(allow, "kind = 'read'"), func(kind, _ string) bool { return kind == "read" }},
		"plans": {fmt.Sprintf(allow, "kind = 'switch_mode'"), func(kind, _ string) bool { return kind == "switch_mode" }},
		"no commands": {fmt.Sprintf(reject, "kind = 'execute'") + fmt.Sprintf(allow, "title = '*'"), func(kind, _ string) bool {
			return kind != "" && kind != "switch_mode" && kind != "execute"
		}},
		"no rm": {fmt.Sprintf(reject, "title = 'rm*'") + fmt.Sprintf(allow, "kind = '*'"), func(kind, title string) bool {
			return kind != "" && kind != "switch_mode" && title != "rm x"
		}},
	}
	options := []string{
		`[{"optionId":"y","name":"Y","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_once"}]`,
		`[{"optionId":"n","name":"N","kind":"reject_always"},{"optionId":"y","name":"Y","kind":"allow_once"},{"optionId":"y2","name":"Y","kind":"allow_always"}]`,
		`[{"optionId":"y","name":"N","kind":"reject_once"},{"optionId":"y","name":"Y","kind":"allow_once"}]`,
		`[{"optionId":"y","name":"Y","kind":"allow_once"}]`,
	}
	outcomes := map[string]string{
		"dismissed": `{"outcome":"cancelled"}`, "denied": `{"outcome":"selected","optionId":"denied"}`, "yes": `{"outcome":"selected","optionId":"y"}`,
	}
	for name, rule := range rules {
		c, err := config.Parse(config.Default(), "f", "repair.dismiss = true\n"+rule.toml)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]int{{1, 1}, {1, 2}, {2, 1}} { // versions of the client and of the agent
			p := newConsent(t, c, pair[0], pair[1])
			for _, announced := range []string{"-", "", "read", "execute", "switch_mode"} { // "-": not at all
				for _, asked := range []string{"", "read", "execute", "switch_mode"} {
					for _, title := range []string{"Look", "rm x"} {
						for _, offered := range options {
							for said, outcome := range outcomes {
								kind := announced
								if asked != "" {
									kind = asked
								} else if kind == "" {
									kind = "other"
								} else if kind == "-" {
									kind = ""
								}
								response := p.ask(announced, asked, title, offered, outcome)
								byRule := rule.allows(kind, title)
								if got := strings.Contains(response, `"y`); got && !byRule && (said != "yes" || !p.isAsked) {
									t.Errorf("%s, versions %v, announced %q, asked %q %q, options %s, %s: the agent gets %s", name, pair, announced, asked, title, offered, said, response)
								}
								if strings.Contains(response, `"n"`) && strings.Contains(offered, "reject_always") && said == "dismissed" {
									t.Errorf("%s, versions %v: a dismissed question rejects all such calls", name, pair)
								}
							}
						}
					}
				}
			}
		}
	}
}

// A consent is a client and an agent that asks it.
type consent struct {
	t       *testing.T
	r       *Relay
	agent   int // its version
	n       int // requests so far
	isAsked bool
}

func newConsent(t *testing.T, c config.Config, client, agent int) *consent {
	p := &consent{t: t, r: New(c, Options{}), agent: agent}
	initialize := `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"c","version":"1"},"clientCapabilities":{}}}`
	if client == 2 {
		initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`
	}
	p.says(true, initialize)
	switch {
	case agent == 2:
		p.says(false, `{"jsonrpc":"2.0","id":"i","error":{"code":-32022,"message":"unsupported","data":{"requested":1,"supported":[2]}}}`)
		p.says(false, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}},"authMethods":[]}}`)
	default:
		for range client {
			p.says(false, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{},"authMethods":[]}}`)
		}
	}
	p.says(true, `{"jsonrpc":"2.0","id":"s","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	p.says(false, `{"jsonrpc":"2.0","id":"s","result":{"sessionId":"s"}}`)
	return p
}

// says sends a line of the client or of the agent, and returns what both then get.
func (p *consent) says(isClient bool, line string) (toClient, toAgent string) {
	var out [2]bytes.Buffer
	o := p.r.Options()
	from, to := o.FromAgent, &out[0]
	if isClient {
		from, to = o.FromClient, &out[1]
	}
	if err := proxy.Relay(to, strings.NewReader(line+"\n"), from, 1<<20); err != nil {
		p.t.Fatal(err)
	}
	out[0].Write(wire.DrainAll(o.FromAgent))
	out[1].Write(wire.DrainAll(o.FromClient))
	return out[0].String(), out[1].String()
}

// ask asks about a new call, and returns the response that the agent gets. The client responds if
// it is asked.
func (p *consent) ask(announced, asked, title, options, outcome string) string {
	p.n++
	call := func(kind, title string) string {
		o := map[string]string{"toolCallId": fmt.Sprint("call-", p.n)}
		if kind != "" {
			o["kind"] = kind
		}
		if title != "" {
			o["title"] = title
		}
		raw, err := json.Marshal(o)
		if err != nil {
			p.t.Fatal(err)
		}
		return string(raw)
	}
	if announced != "-" {
		update := "tool_call"
		if p.agent == 2 {
			update = "tool_call_update"
		}
		p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":%q,%s}}`, update, call(announced, title)[1:]))
		title = "" // the request does not repeat it
	}
	params := `"toolCall":` + call(asked, title)
	if p.agent == 2 {
		params = `"title":"Sure?","subject":{"type":"tool_call","toolCall":` + call(asked, title) + `}`
	}
	id := fmt.Sprint("ask-", p.n)
	toClient, toAgent := p.says(false, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/request_permission","params":{"sessionId":"s",%s,"options":%s}}`, id, params, options))
	if p.isAsked = strings.Contains(toClient, id); p.isAsked {
		_, more := p.says(true, fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":%s}}`, id, outcome))
		toAgent += more
	}
	if n := strings.Count(toAgent, id); n != 1 {
		p.t.Fatalf("%d responses: %q, and the client gets %q", n, toAgent, toClient)
	}
	return toAgent
}
