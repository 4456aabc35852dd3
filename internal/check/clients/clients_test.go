package clients

import (
	"strings"
	"testing"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
)

// statuses returns the rules with a status.
func statuses(r conformance.Report, status conformance.Status) string {
	var names []string
	for _, f := range r.Rules {
		if f.Status == status {
			names = append(names, f.Rule)
		}
	}
	return strings.Join(names, " ")
}

// A good client passes every rule.
func TestAGoodClient(t *testing.T) {
	r := check(t, &client{}, (*client).talk)
	if r.OK != 17 {
		t.Errorf("%+v", r)
	}
	if r.Client == nil || r.Client.Name != "good" || r.Client.Version != "1" || r.Client.Protocol != 1 {
		t.Errorf("%+v", r.Client)
	}
}

func replace(old, new string) func(string) string {
	return func(line string) string { return strings.Replace(line, old, new, 1) }
}

// drop sends no line with a text.
func drop(text string) func(string) string {
	return func(line string) string {
		if strings.Contains(line, text) {
			return ""
		}
		return line
	}
}

// on does something once a line with a text came. It reports whether the client then ignores it.
func on(text string, do func(c *client, id string)) func(c *client, method, id, line string) bool {
	return func(c *client, method, id, line string) bool {
		if !strings.Contains(line, text) {
			return false
		}
		do(c, id)
		return true
	}
}

func ignore(*client, string) {}

// Each client breaks one rule, and no finding is about another one.
func TestABrokenClientForEachRule(t *testing.T) {
	seen := map[string]bool{}
	for _, test := range []struct {
		rule, got string // what the finding says
		client    *client
	}{
		{"client-stdin-json", `your #1 "[info] starting"`, &client{edit: replace(`{"jsonrpc":"2.0","id":0,"method":"initialize"`, "[info] starting\n"+`{"jsonrpc":"2.0","id":0,"method":"initialize"`)}},
		{"client-stdin-json", `your #1 "Content-Length: 151"`, &client{edit: replace(`{"jsonrpc":"2.0","id":0,"method":"initialize"`, "Content-Length: 151\r\n\r\n"+`{"jsonrpc":"2.0","id":0,"method":"initialize"`)}},
		{"client-stdin-json", `your #1 "{"`, &client{edit: func(line string) string {
			if strings.Contains(line, `"initialize"`) {
				return "{\n" + line[1:len(line)-1] + "\n}\n" + line
			}
			return line
		}}},
		{"client-stdin-json", "your #6 ", &client{edit: replace(`Do all of it`, "Do \xff")}},
		{"client-stdin-json", `your #3 "[{`, &client{edit: func(line string) string {
			if strings.Contains(line, `"session/new"`) {
				return "[" + line + "]"
			}
			return line
		}}},
		{"client-envelope", "your #6 with jsonrpc missing", &client{edit: replace(`"jsonrpc":"2.0","id":1,`, `"id":1,`)}},
		{"client-envelope", "your #6 with jsonrpc 2.0", &client{edit: replace(`"jsonrpc":"2.0","id":1,`, `"jsonrpc":2.0,"id":1,`)}},
		{"client-envelope", `with the error "no"`, &client{edit: replace(`{"code":-32601,"message":"no such method"}`, `"no"`)}},
		{"client-initialize", `your #1 initialize with protocolVersion "1" (a string)`, &client{edit: replace(`"protocolVersion":1`, `"protocolVersion":"1"`)}},
		{"client-initialize", "your #1 session/new before initialize", &client{edit: func(line string) string {
			if strings.Contains(line, `"initialize"`) {
				return `{"jsonrpc":"2.0","id":"early","method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n" + line
			}
			return line
		}}},
		{"client-initialize", "a second initialize", &client{edit: func(line string) string {
			if strings.Contains(line, `"session/new"`) {
				return strings.Replace(`{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":1}}`, "", "", 1) + "\n" + line
			}
			return line
		}}},
		{"client-session-new", `your #3 session/new with cwd "."`, &client{edit: func(line string) string {
			if at := strings.Index(line, `"cwd":"`); at >= 0 {
				return line[:at] + `"cwd":".","mcpServers":[{"name":"m","command":"/bin/m","args":[],"env":[]}]}}`
			}
			return line
		}}},
		{"client-session-new", "your #3 session/new with mcpServers missing", &client{edit: replace(`"mcpServers":`, `"servers":`)}},
		{"client-session-new", `/params/mcpServers/0`, &client{edit: replace(`"command":"/bin/m",`, "")}},
		{"client-session-first", `session/prompt with the sessionId "mine"`, &client{edit: replace(`{"sessionId":"demo","prompt"`, `{"sessionId":"mine","prompt"`)}},
		{"client-session-first", "session/prompt without a sessionId", &client{edit: replace(`{"sessionId":"demo","prompt"`, `{"prompt"`)}},
		{"client-announced-methods", "your #6 session/load", &client{edit: replace(`{"jsonrpc":"2.0","id":1,"method":"session/prompt"`, `{"jsonrpc":"2.0","id":"l","method":"session/load","params":{"sessionId":"demo","cwd":"/","mcpServers":[]}}`+"\n"+`{"jsonrpc":"2.0","id":1,"method":"session/prompt"`)}},
		{"client-content", `your #6 session/prompt with prompt[0].type "image"`, &client{edit: replace(`{"type":"text","text":"Do all of it"}`, `{"type":"image","data":"","mimeType":"image/png"}`)}},
		{"client-content", `with prompt missing, and there is "content"`, &client{edit: replace(`"prompt":[{"type":"text","text":"Do`, `"content":[{"type":"text","text":"Do`)}},
		{"client-content", `/params/prompt/0`, &client{edit: replace(`{"type":"text","text":"Do all of it"}`, `{"type":"text","content":"Do"}`)}},
		{"client-mcp", `your #3 session/new with mcpServers[0].type "http"`, &client{edit: replace(`{"name":"m","command":"/bin/m","args":[],"env":[{"name":"TOKEN","value":"sk-1"}]}`, `{"type":"http","name":"m","url":"https://m","headers":[]}`)}},
		{"client-responds", "no response in 10 s", &client{took: on(`"fs/read_text_file"`, ignore)}},
		{"client-responds", "a second response to it", &client{took: on(`"fs/read_text_file"`, func(c *client, id string) {
			c.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":""}}`, id)
			c.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":""}}`, id)
		})}},
		{"client-responds", `a response with the id "6" (a string)`, &client{took: on(`"fs/write_text_file"`, func(c *client, id string) { c.send(`{"jsonrpc":"2.0","id":"%s","result":{}}`, id) })}},
		{"client-responds", "a response with the id 4711 that no request of the agent has", &client{took: on(`"greet"`, ignore), edit: replace(`"Do all of it"}]}}`, `"Do all of it"}]}}`+"\n"+`{"jsonrpc":"2.0","id":4711,"result":{}}`)}},
		{"client-unknown-method", "no response in 10 s", &client{took: on(`"_acpshim.dev/ask"`, ignore)}},
		{"client-notification-silent", "a response without an id: error -32601", &client{took: on(`"_acpshim.dev/tell"`, func(c *client, _ string) {
			c.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`)
		})}},
		{"client-permission", `with the optionId "maybe"`, &client{edit: replace(`"optionId":"yes"`, `"optionId":"maybe"`)}},
		{"client-permission", `result {"outcome":"selected","optionId":"yes"}`, &client{edit: replace(`{"outcome":{"outcome":"selected","optionId":"yes"}}`, `{"outcome":"selected","optionId":"yes"}`)}},
		{"client-permission", "error -32601", &client{edit: replace(`"result":{"outcome":{"outcome":"selected","optionId":"yes"}}`, `"error":{"code":-32601,"message":"no"}`)}},
		{"client-cancel", "session/cancel with the id 9", &client{edit: replace(`"method":"session/cancel"`, `"id":9,"method":"session/cancel"`)}},
		{"client-cancel-permission", "no response in 5 s", &client{edit: drop(`{"outcome":{"outcome":"cancelled"}}`)}},
		{"client-cancel-permission", "result {", &client{edit: replace(`{"outcome":{"outcome":"cancelled"}}`, `{"outcome":{"outcome":"selected","optionId":"yes"}}`)}},
		{"client-cancel-permission", "error -32800", &client{edit: replace(`"result":{"outcome":{"outcome":"cancelled"}}`, `"error":{"code":-32800,"message":"cancelled"}`)}},
		{"client-unknown-update", "the end of the connection", &client{took: on(`"acpshim_unknown_update"`, func(c *client, _ string) { c.in.Close() })}},
		{"client-unknown-update", "no response to the agent's next request", &client{took: func() func(c *client, method, id, line string) bool {
			isDead := false
			return func(_ *client, method, _, line string) bool {
				isDead = isDead || method == methodTell
				return isDead && method != ""
			}
		}()}},
		{"client-fs", "error -32601", &client{took: on(`"fs/read_text_file"`, func(c *client, id string) {
			c.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id)
		})}},
		{"client-fs", "/result/terminalId", &client{edit: replace(`{"terminalId":"t"}`, `{"terminalId":7}`)}},
	} {
		seen[test.rule] = true
		t.Run(test.rule, func(t *testing.T) {
			r := check(t, test.client, (*client).talk)
			if statuses(r, conformance.Failed) != test.rule || r.Warnings > 0 {
				t.Errorf("%s", text(t, r))
			}
			says(t, r, test.rule, test.got)
			if test.rule == ruleUnknown && r.OK != 16 {
				t.Errorf("the other rules were not tried: %s", text(t, r))
			}
		})
	}
	for _, r := range conformance.Rules(wire.Client) {
		if !seen[r.ID] && r.Level.Fails() {
			t.Errorf("no client breaks %s", r.ID)
		}
	}
}

// says checks what the finding of a rule says.
func says(t *testing.T, r conformance.Report, rule, got string) {
	t.Helper()
	for _, f := range r.Rules {
		if f.Rule == rule && !strings.Contains(f.Got, got) {
			t.Errorf("got %q, want %q", f.Got, got)
		}
	}
}

// What the protocol only recommends is a warning.
func TestWarnings(t *testing.T) {
	for _, test := range []struct {
		rule, got string
		client    *client
	}{
		{"client-info", "your #1 initialize without a name and a version", &client{edit: replace(`"clientInfo":{"name":"good","version":"1"}`, `"clientInfo":{"name":"good"}`)}},
		{"client-initialize", "/params/clientCapabilities/fs", &client{edit: replace(`"fs":{"readTextFile":true,"writeTextFile":true}`, `"fs":true`)}},
		{"client-stdin-json", "in which a member occurs twice", &client{edit: replace(`{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","method":"_mine","method":"_yours"}`+"\n"+`{"jsonrpc":"2.0","id":1,`)}},
		{"client-envelope", "with the id 3 of your pending #", &client{edit: replace(`{"jsonrpc":"2.0","method":"session/cancel"`, `{"jsonrpc":"2.0","id":3,"method":"_mine"}`+"\n"+`{"jsonrpc":"2.0","method":"session/cancel"`)}},
		{"client-announced-methods", "your #6 session_new", &client{edit: replace(`{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","id":"a","method":"session_new"}`+"\n"+`{"jsonrpc":"2.0","id":1,`)}},
		{"client-unknown-method", "error -32603", &client{edit: replace("-32601", "-32603")}},
		{"client-unknown-method", "result {}", &client{edit: replace(`"error":{"code":-32601,"message":"no such method"}`, `"result":{}`)}},
		{"client-permission", `with the outcome "cancelled"`, &client{edit: replace(`{"outcome":"selected","optionId":"yes"}`, `{"outcome":"cancelled"}`)}},
		{"client-permission", "error -32603", &client{edit: replace(`"result":{"outcome":{"outcome":"selected","optionId":"yes"}}`, `"error":{"code":-32603,"message":"headless"}`)}},
		{"client-responds", "only after 10.5s", &client{took: on(`"fs/read_text_file"`, func(c *client, id string) {
			time.AfterFunc(10500*time.Millisecond, func() { c.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":""}}`, id) })
		})}},
		{"client-unknown-update", "the agent's next request", &client{took: func() func(c *client, method, id, line string) bool {
			isDead := false
			return func(_ *client, method, _, line string) bool {
				isDead = isDead || strings.Contains(line, "this is not content")
				return isDead && method != ""
			}
		}()}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			r := check(t, test.client, (*client).talk)
			if statuses(r, conformance.Warning) != test.rule || r.Failed > 0 {
				t.Errorf("%s", text(t, r))
			}
			says(t, r, test.rule, test.got)
		})
	}
}

// What looks wrong and is right has no finding.
func TestWhatIsRight(t *testing.T) {
	for name, c := range map[string]*client{
		"an error for a path": {took: on(`"fs/`, func(c *client, id string) {
			c.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"outside of the project"}}`, id)
		})},
		"a refused permission": {edit: replace(`"optionId":"yes"`, `"optionId":"no"`)},
		"an answer of a person": {took: on(`"title":"Continue the check"`, func(c *client, id string) {
			if id != "" {
				time.AfterFunc(50*time.Second, func() {
					c.send(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`, id)
				})
			}
		})},
		"an error for wrong options": {took: on(`"allow_persistent"`, func(c *client, id string) {
			c.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such kind"}}`, id)
		})},
		"more members, in another order": {edit: replace(`{"jsonrpc":"2.0","id":1,`, `{"_meta":{"a":1},"trace":[],"id":1,"jsonrpc":"2.0",`)},
		"an id that is a UUID":           {edit: replace(`"id":1,`, `"id":"5f0c6a0e-2c6f-4c3c-9d2e-6a1d2f0b9f55",`)},
		"an id in another spelling":      {edit: replace(`"id":2,"result"`, `"id":2.0,"result"`)},
		"CRLF and empty lines":           {edit: func(line string) string { return line + "\r\n" }},
		"a cancel after the turn":        {edit: replace(`{"jsonrpc":"2.0","id":2,"method"`, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"demo"}}`+"\n"+`{"jsonrpc":"2.0","id":2,"method"`)},
		"a request of an extension":      {edit: replace(`{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","id":"a","method":"_zed.dev/feedback"}`+"\n"+`{"jsonrpc":"2.0","id":1,`)},
		"a Windows path":                 {edit: replace(`"prompt":[`, `"prompt":[{"type":"resource_link","uri":"file:///a","name":"a"},`)},
		"cancelled before session/cancel": {edit: func() func(string) string {
			held := ""
			return func(line string) string {
				switch {
				case strings.Contains(line, "session/cancel") && held == "":
					held = line
					return ""
				case strings.Contains(line, `"outcome":"cancelled"`):
					return line + "\n" + held
				}
				return line
			}
		}()},
	} {
		t.Run(name, func(t *testing.T) {
			if r := check(t, c, (*client).talk); r.Failed+r.Warnings > 0 {
				t.Errorf("%s", text(t, r))
			}
		})
	}
}

func text(t *testing.T, r conformance.Report) string {
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), `{"rule"`, "\n"+`{"rule"`)
}
