package rule

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func values(of ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(of); i += 2 {
		m[of[i]] = of[i+1]
	}
	return m
}

func equalTo(pointer, value string) When {
	return When{Equals: map[string]jsontext.Value{pointer: []byte(value)}}
}

// Each condition is tested alone, in a connection of Zed 0.210.3 and codex-acp 2.6.0 with version
// 1. A rule that matches sets /hit.
func TestMatch(t *testing.T) {
	const (
		prompt = `{"id":5,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"text":"hi"}]}}`
		value  = `{"method":"m","params":{"n":1.0,"big":12345678901234567890,"t":"a\u0062c","nil":null,"o":{"x":[1,{"y":2}]},"a~/b":1,"dup":{"a":1,"a":2}}}`
		list   = `{"method":"m","params":{"list":[ {"name":"b"}, 7, {"n":1.0, "name":"x\/y"},[{}],{"n":1,"name":""}]}}`
	)
	yes, no := true, false
	for _, test := range []struct {
		rule Rule
		from Side
		line string
		want bool
	}{
		{Rule{}, Agent, chunk("s", "x"), yes},
		{Rule{}, Agent, `{"id":3,"result":{}}`, yes},
		{Rule{From: Both}, Client, prompt, yes},
		{Rule{From: Client}, Client, prompt, yes},
		{Rule{From: Client}, Agent, prompt, no},
		{Rule{From: Agent}, Client, prompt, no},
		{Rule{Method: "session/prompt"}, Client, prompt, yes},
		{Rule{Method: "session/prompt"}, Client, strings.Replace(prompt, "prompt", `p\u0072ompt`, 1), yes},
		{Rule{Method: "session/*"}, Client, prompt, yes},
		{Rule{Method: "s?ssion/{new,prompt}"}, Client, prompt, yes},
		{Rule{Method: "!session/*"}, Client, prompt, no},
		{Rule{Method: "session"}, Client, prompt, no},
		{Rule{Method: "*"}, Agent, `{"id":3,"result":{"method":"x"}}`, no},
		{Rule{Update: "agent_*"}, Agent, chunk("s", "x"), yes},
		{Rule{Update: "agent_*", Method: "session/*"}, Agent, chunk("s", "x"), yes},
		{Rule{Update: "plan"}, Agent, chunk("s", "plan"), no},
		{Rule{Update: "*"}, Agent, strings.Replace(chunk("s", "x"), "session/update", "session/other", 1), no},
		{Rule{Update: "*"}, Agent, `{"params":{"update":{"x":{"sessionUpdate":"a"},"sessionUpdate":"plan"}},"method":"session/update"}`, yes},
		{Rule{Update: "*"}, Agent, `{"method":"session/update","params":{"update":{"sessionUpdate":"a","sessionUpdate":"b"}}}`, no},
		{Rule{Method: "session/update"}, Agent, `{"method":"session/update","params":{"update":{"sessionUpdate":"a","sessionUpdate":"b"}}}`, yes},
		{Rule{Session: "s*"}, Client, prompt, yes},
		{Rule{Session: "!s*"}, Client, prompt, no},
		{Rule{Session: "*"}, Client, value, no},
		{Rule{ResponseTo: "session/prompt"}, Agent, `{"id":4,"result":{}}`, yes},
		{Rule{ResponseTo: "session/prompt"}, Agent, `{"id":4.0,"error":{"code":1,"message":""}}`, yes},
		{Rule{ResponseTo: "session/prompt"}, Agent, `{"id":"4","result":{}}`, no},
		{Rule{ResponseTo: "session/prompt"}, Client, `{"id":4,"result":{}}`, no},
		{Rule{ResponseTo: "!session/prompt"}, Agent, `{"id":4,"result":{}}`, no},
		{Rule{ResponseTo: "*"}, Agent, `{"id":44,"result":{}}`, no},
		{Rule{ResponseTo: "*"}, Agent, chunk("s", "x"), no},
		{Rule{ResponseTo: "fs/*"}, Client, `{"id":4,"result":{}}`, yes},
		{Rule{Client: "Zed"}, Agent, value, yes},
		{Rule{Client: "zed"}, Agent, value, yes},
		{Rule{Client: "zeds"}, Agent, value, no},
		{Rule{Client: "!Zed"}, Agent, value, no},
		{Rule{Client: "Z* >=0.200 <1"}, Agent, value, yes},
		{Rule{Client: "Z* <0.210"}, Agent, value, no},
		{Rule{Client: "Z* <1"}, Agent, value, yes},
		{Rule{Client: "!Z* <0.210"}, Agent, value, yes},
		{Rule{Client: "!Emacs* <0.210"}, Agent, value, yes},
		{Rule{Agent: "*codex-acp ^2"}, Agent, value, yes},
		{Rule{Agent: "*codex-acp ~2.5"}, Agent, value, no},
		{Rule{When: When{Client: "Zed", Agent: "c*"}}, Agent, value, yes},
		{Rule{Client: "Zed", When: When{Client: "!Zed"}}, Agent, value, no},
		{Rule{ClientHas: []string{"/fs/readTextFile", "/plan"}}, Agent, value, yes},
		{Rule{ClientHas: []string{"/plan", "/terminal"}}, Agent, value, no},
		{Rule{ClientHas: []string{"/session"}}, Agent, value, no},
		{Rule{ClientLacks: []string{"/terminal", "/session", "/x/y"}}, Agent, value, yes},
		{Rule{ClientLacks: []string{"/plan"}}, Agent, value, no},
		{Rule{AgentHas: []string{"/loadSession"}}, Client, prompt, yes},
		{Rule{AgentLacks: []string{"/loadSession"}}, Client, prompt, no},
		{Rule{Protocol: 1}, Client, prompt, yes},
		{Rule{Protocol: 2}, Client, prompt, no},
		{Rule{When: When{Has: []string{"/params/nil", "/params/o/x/1/y", "/params/a~0~1b", ""}}}, Agent, value, yes},
		{Rule{When: When{Has: []string{""}}}, Agent, value, yes},
		{Rule{When: When{Has: []string{"/params/o/x/2"}}}, Agent, value, no},
		{Rule{When: When{Has: []string{"/params/o/x/01"}}}, Agent, value, no},
		{Rule{When: When{Has: []string{"/params/O"}}}, Agent, value, no},
		{Rule{When: When{Has: []string{"/params/dup/a"}}}, Agent, value, no},
		{Rule{When: When{Absent: []string{"/params/dup/a"}}}, Agent, value, no},
		{Rule{When: When{Absent: []string{"/params/dup/a/b", "/params/x"}}}, Agent, value, no},
		{Rule{When: When{Absent: []string{"/params/x", "/x/y/z", "/params/n/x"}}}, Agent, value, yes},
		{Rule{When: When{Absent: []string{"/params/nil"}}}, Agent, value, no},
		{Rule{When: equalTo("/params/n", "1")}, Agent, value, yes},
		{Rule{When: equalTo("/params/n", "1e0")}, Agent, value, yes},
		{Rule{When: equalTo("/params/n", `"1.0"`)}, Agent, value, no},
		{Rule{When: equalTo("/params/big", "12345678901234567891")}, Agent, value, no},
		{Rule{When: equalTo("/params/big", "12345678901234567890")}, Agent, value, yes},
		{Rule{When: equalTo("/params/t", `"\u0061bc"`)}, Agent, value, yes},
		{Rule{When: equalTo("/params/t", `"ab"`)}, Agent, value, no},
		{Rule{When: equalTo("/params/nil", "null")}, Agent, value, yes},
		{Rule{When: equalTo("/params/none", "null")}, Agent, value, no},
		{Rule{When: equalTo("/params/o", `{"x":[1.0, {"y":2}]}`)}, Agent, value, yes},
		{Rule{When: equalTo("/params/dup", `{"a":1}`)}, Agent, value, no},
		{Rule{When: When{Glob: values("/params/t", "a*c")}}, Agent, value, yes},
		{Rule{When: When{Glob: values("/params/t", "!a*c")}}, Agent, value, no},
		{Rule{When: When{Glob: values("/params/n", "*")}}, Agent, value, no},
		{Rule{When: When{Regexp: values("/params/t", "(?i)^AB")}}, Agent, value, yes},
		{Rule{When: When{Regexp: values("/params/t", "bc$", "/params/o/x/1/y", "2")}}, Agent, value, no},
		// One of several values is enough.
		{Rule{When: When{Has: []string{"/params/list/*/name"}}}, Agent, list, yes},
		{Rule{When: When{Has: []string{"/params/list/*/none"}}}, Agent, list, no},
		{Rule{When: When{Has: []string{"/params/list/*/*"}}}, Agent, list, yes},
		{Rule{When: When{Has: []string{"/params/*/name"}}}, Agent, list, no},
		{Rule{When: When{Has: []string{"/params/list/[name=b]"}}}, Agent, list, yes},
		{Rule{When: When{Has: []string{"/params/list/[name=x~1y]/n"}}}, Agent, list, yes},
		{Rule{When: When{Has: []string{"/params/list/[name=b]/n"}}}, Agent, list, no},
		{Rule{When: When{Has: []string{"/params/list/[n=1]"}}}, Agent, list, yes},
		{Rule{When: When{Has: []string{"/params/[list=1]"}}}, Agent, list, no},
		{Rule{When: When{Has: []string{"/params/[a=b]/c", "/params/~2x]", "/params/%2A", "/params/[y"}}}, Agent, `{"method":"m","params":{"[a=b]":{"c":1},"[x]":1,"%2A":1,"[y":1}}`, yes},
		{Rule{When: When{Has: []string{"/params/o/*/name"}}}, Agent, `{"method":"m","params":{"o":{"*":{"name":1}}}}`, yes},
		{Rule{When: When{Has: []string{"/params/o/*/name"}}}, Agent, `{"method":"m","params":{"o":{"a":{"name":1}}}}`, no},
		{Rule{When: equalTo("/params/list/*/name", `"b"`)}, Agent, list, yes},
		{Rule{When: equalTo("/params/list/*/name", `"c"`)}, Agent, list, no},
		{Rule{When: equalTo("/params/list/*/n", `1e0`)}, Agent, list, yes},
		{Rule{When: equalTo("/params/list/[name=x~1y]/n", `1`)}, Agent, list, yes},
		{Rule{When: When{Glob: values("/params/list/*/name", "x*y")}}, Agent, list, yes},
		{Rule{When: When{Glob: values("/params/list/[name=b]/name", "!b")}}, Agent, list, no},
		{Rule{When: When{Glob: values("/params/list/*/name", "!b")}}, Agent, list, yes},
		{Rule{When: When{Regexp: values("/params/list/*/name", "^x/[a-z]$")}}, Agent, list, yes},
		{Rule{When: When{Regexp: values("/params/list/[n=1]/name", "b")}}, Agent, list, no},
		{Rule{When: When{Has: []string{"/*"}}}, Agent, list, no},
		// Absent is none of them.
		{Rule{When: When{Absent: []string{"/params/list/[name=c]"}}}, Agent, `{"method":"m","params":{"list":[{"name":"b"}]}}`, yes},
		{Rule{When: When{Absent: []string{"/params/list/*/none", "/params/list/[name=c]", "/params/none/*/x"}}}, Agent, list, yes},
		{Rule{When: When{Absent: []string{"/params/list/*/name"}}}, Agent, list, no},
		{Rule{When: When{Absent: []string{"/params/list/[name=b]"}}}, Agent, list, no},
		// An element that has a name twice is neither there nor absent; the others are.
		{Rule{When: When{Has: []string{"/params/*/a"}}}, Agent, `{"method":"m","params":[{"a":1,"a":2},{"a":1}]}`, yes},
		{Rule{When: When{Has: []string{"/params/*/a"}}}, Agent, `{"method":"m","params":[{"a":1,"a":2}]}`, no},
		{Rule{When: When{Absent: []string{"/params/*/b"}}}, Agent, `{"method":"m","params":[{"a":1,"a":2},{"a":1}]}`, no},
		{Rule{ClientHas: []string{"/sets/[id=b]/on"}}, Agent, value, yes},
		{Rule{ClientHas: []string{"/sets/*/off"}}, Agent, value, no},
		{Rule{ClientLacks: []string{"/sets/*/off", "/sets/[id=c]"}}, Agent, value, yes},
		{Rule{ClientLacks: []string{"/sets/*/on"}}, Agent, value, no},
		// What is no message meets no rule.
		{Rule{}, Agent, `{"method":"m","result":{}}`, no},
		{Rule{}, Agent, `{"id":1,"result":{},"error":{}}`, no},
		{Rule{}, Agent, `{"id":1}`, no},
		{Rule{}, Agent, `{"method":"m","method":"n"}`, no},
		{Rule{}, Agent, `{"method":"m","Method":"n"}`, no},
		{Rule{}, Agent, `{"method":3}`, no},
		{Rule{}, Agent, `{"method":"m"} x`, no},
		{Rule{}, Agent, `[]`, no},
		{Rule{}, Agent, `[1,"a"]`, no},
		{Rule{}, Agent, `npm WARN`, no},
		{Rule{}, Agent, ``, no},
		{Rule{}, Agent, "{\"method\":\"m\",\"x\":\x00}", no},
		{Rule{}, Agent, `{"id":1,"result":null,"error":null}`, yes},
		{Rule{}, Agent, `{"method":"` + strings.Repeat("x", 9000) + `"}`, yes},
	} {
		test.rule.Name, test.rule.Set = "r", []Setting{{"/hit", []byte("true")}}
		c := converse(t, test.rule)
		c.initialize(zed, `{"fs":{"readTextFile":true},"plan":{},"terminal":false,"session":null,"sets":[{"id":"a","off":false},{"id":"b","on":true,"off":null}]}`, codex, `{"loadSession":true}`, 1)
		c.from(Client, `{"id":4,"method":"session/prompt","params":{"sessionId":"s"}}`)
		c.from(Agent, `{"id":4,"method":"fs/read_text_file","params":{"sessionId":"s"}}`)
		before := c.chain.Hits()[0].Count
		got := c.from(test.from, test.line)
		if hit := c.chain.Hits()[0].Count > before; hit != test.want || hit != strings.HasSuffix(got, `"hit":true}`) || !hit && got != test.line {
			t.Errorf("%+v\n from %s: %.200s\n gives %.300s", test.rule, test.from, test.line, got)
		}
	}
}

// The client is known from its request on, and the agent from its response on. A second initialize
// replaces both.
func TestFactsAreKnownInTime(t *testing.T) {
	hit := []Setting{{"/hit", []byte("1")}}
	c := converse(t,
		Rule{Name: "client", From: Client, Client: "Zed", Method: "initialize", Set: hit},
		Rule{Name: "agent", From: Agent, ResponseTo: "initialize", Agent: "codex*", Protocol: 1, AgentLacks: []string{"/x"}, Set: hit},
		Rule{Name: "early", From: Client, Method: "early", Client: "!JetBrains*", Set: hit},
		Rule{Name: "unknown", From: Client, Method: "early", Agent: "!JetBrains*", Set: hit},
		Rule{Name: "two", Protocol: 2, Log: true},
	)
	ask := `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"Zed"}}}`
	early := `{"method":"early"}`
	c.play(
		step{Client, early, "="},
		step{Client, ask, strings.TrimSuffix(ask, "}") + `,"hit":1}`},
		step{Client, early, `{"method":"early","hit":1}`},
		step{Agent, `{"id":0,"error":{"code":1,"message":""}}`, "="},
		step{Client, ask, strings.TrimSuffix(ask, "}") + `,"hit":1}`},
		step{Agent, `{"id":0,"result":{"protocolVersion":1.0,"agentInfo":{"name":"codex"}}}`, `{"id":0,"result":{"protocolVersion":1.0,"agentInfo":{"name":"codex"}},"hit":1}`},
		step{Client, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"JetBrains"}}}`, "="},
		step{Client, early, "="},
	)
	c.told("two is not for version 1")
}

func TestPeerPattern(t *testing.T) {
	for _, test := range []struct {
		text string
		who  Peer
		want bool
	}{
		{"Zed ", Peer{Name: "Zed"}, true},
		{`A\ >1`, Peer{Name: "A >1"}, true},
		{`A\ >1`, Peer{Name: "A", Version: "2"}, false},
		{`A\\ >1`, Peer{Name: `A\`, Version: "2"}, true},
		{"A B >1", Peer{Name: "A B", Version: "2.0.0-beta"}, true},
		{"A B", Peer{Name: "A B", Version: "no version"}, true},
		{"A >1", Peer{Name: "A", Version: "no version"}, false},
		{"!A >1", Peer{Name: "A", Version: "no version"}, true},
	} {
		p, err := NewPeerPattern(test.text)
		if err != nil {
			t.Error(err)
		} else if got := p.Match(test.who); got != test.want {
			t.Errorf("%q matches %+v: %v", test.text, test.who, got)
		}
	}
	for _, wrong := range []string{"", "!", "!!A", "A{", "A >=1 <"} {
		if _, err := NewPeerPattern(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	if !(Peer{Name: "A"}).Matches("") || (Peer{Name: "A"}).Matches("B") {
		t.Error("a peer meets no pattern, or one of another name")
	}
}

func TestPattern(t *testing.T) {
	for _, wrong := range []string{"a{b", "a}", "{a{b}}", "!{", "[a", `a\`} {
		if _, err := newPattern(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	for _, test := range []struct {
		glob, text string
		want       bool
	}{
		{"a.c", "abc", false}, {"a.c", "a.c", true}, {"*", "", true}, {"a*", "a\nb", true}, {"?", "ü", true},
		{"!a", "b", true}, {"!a", "a", false}, {"{a,b*}c", "bxc", true}, {"{a,b*}c", "xc", false}, {"[ab]", "a", true}, {"![ab]", "a", false}, {`\[ab]`, "[ab]", true}, {`\!a`, "!a", true},
	} {
		g, err := newPattern(test.glob)
		if err != nil || g.match(test.text) != test.want {
			t.Errorf("%q matches %q: not %v (%v)", test.glob, test.text, test.want, err)
		}
	}
}
