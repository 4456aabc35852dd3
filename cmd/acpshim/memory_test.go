//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	oldHandshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"
	agreed       = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"opencode"}}}` + "\n"
	done         = `{"jsonrpc":"2.0","method":"_done"}` + "\n"
)

// updateOf is a session/update for a session.
func updateOf(session, update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` + update + "}}\n"
}

func planOf(plan string) string { return `{"sessionUpdate":"plan_update","plan":` + plan + `}` }

func pad(size int) string { return strings.Repeat("words ", size/6+1)[:size] }

var defaultLimits = flag.Bool("limits", false, "drive memory past the default limits, not past a quarter of them")

// Whatever a peer sends, acpshim stays under 200 MB with the default limits: each
// kind of state is driven past its bound, in one session or with one plan, and in
// many. With a quarter of the limits it may take a quarter, and what the program takes by itself.
func TestMemoryIsBounded(t *testing.T) {
	long(t)
	if raceTimes(1) > 1 {
		t.Skip("the race detector takes several times the memory and the time")
	}
	const mib = 1 << 20
	limits, part, most := "[limits]\nstate_bytes = 16_777_216\ninspect_bytes = 4_194_304\n", 4, 70
	if *defaultLimits {
		limits, part, most = "", 1, 200
	}
	entry := func(content string) string {
		return `{"content":"` + content + `","priority":"low","status":"pending"}`
	}
	document := func(id, text string) string {
		return planOf(`{"type":"markdown","planId":"` + id + `","content":"` + text + `"}`)
	}
	items := func(id, entries string) string {
		return planOf(`{"type":"items","planId":"` + id + `","entries":[` + entries + `]}`)
	}
	todos := func(list string) string {
		return `{"sessionUpdate":"tool_call","toolCallId":"call{n}","title":"todowrite","kind":"think","rawInput":{"todos":[` + list + `]}}`
	}
	many := func(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	tests := []struct {
		name   string
		config string
		agent  [][2]any // how often, and what
		client [][2]any
		both   bool // the agent does not wait for the client's before it begins
	}{
		{name: "small updates behind large plans", agent: [][2]any{
			{34, updateOf("s", items("p{n}", many(100/part, entry(pad(5000)))))},
			{20, strings.Repeat(updateOf("s", items("p{n}", entry("small")))+updateOf("s", items("q{n}", entry("small"))), 10)}}},
		{name: "the same in many sessions", agent: [][2]any{
			{160 / part, updateOf("s{n}", items("p", many(100, entry(pad(5000)))))},
			{20, strings.Repeat(updateOf("s{n}", items("q", entry("small"))), 10)}}},
		{name: "one document that grows", agent: [][2]any{
			{6, updateOf("s", `{"sessionUpdate":"plan_update","_meta":{"jetbrains":{"air":{"contentDelta":"`+pad(15*mib/part)+`"}}},"plan":{"type":"markdown","planId":"p","content":""}}`)}}},
		{name: "documents in many sessions", agent: [][2]any{{100 / part, updateOf("s{n}", document("p{n}", pad(mib)))}}},
		{name: "long ids of sessions", agent: [][2]any{{100 / part, updateOf("s{n}"+pad(mib), items("p", entry("a")))}}},
		{name: "ids of sessions that are just kept", agent: [][2]any{{150, updateOf("s{n}"+pad(1000), items("p", entry("a")))}}},
		{name: "long ids of plans", agent: [][2]any{{100 / part, updateOf("s", items("p{n}"+pad(mib), entry("a")))}}},
		{name: "long names of files", agent: [][2]any{{100 / part, updateOf("s{n}", planOf(`{"type":"file","planId":"p","uri":"file:///`+pad(mib)+`"}`))}}},
		{name: "what stands around a plan that waits", client: [][2]any{{1, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}` + "\n"}},
			agent: [][2]any{{100 / part, strings.Replace(updateOf("s{n}", items("p", entry("a"))), `"params":{`, `"params":{"_meta":{"x":"`+pad(mib)+`"},`, 1)}}},
		{name: "a plan of very many entries", agent: [][2]any{{1, updateOf("s", items("p", many(1_000_000/part, `{"content":"a"}`)))}}},
		{name: "a flawed plan of very many entries", agent: [][2]any{{1, updateOf("s", `{"sessionUpdate":"plan","entries":[`+many(700_000/part, `{"content":"a"}`)+`]}`)}}},
		{name: "an update of very many members", agent: [][2]any{{3, updateOf("s", `{`+many(1_000_000/part, `"a{n}":1`)+`,"sessionUpdate":"plan"}`)}}},
		{name: "a batch of very many", agent: [][2]any{{3, "[" + many(5_000_000/part, "1") + "]\n"}}},
		{name: "lists of todos", agent: [][2]any{{120 / part, updateOf("s{n}", todos(many(1000, `{"content":"`+pad(1000)+`"}`)))}}},
		{name: "very many todos", agent: [][2]any{{2, updateOf("s", todos(many(900_000/part, `{"content":"a"}`)))}}},
		{name: "todos in long texts", agent: [][2]any{{80 / part, updateOf("s{n}", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"todo: todo write","rawInput":{"content":"`+strings.Repeat(`- [ ] a\n`, 80_000)+`"}}`)}}},
		{name: "what jq is given", config: "[[rule]]\nname = \"x\"\nmethod = \"_x\"\njq = '.params.z = 1'\n",
			agent: [][2]any{{4, `{"jsonrpc":"2.0","method":"_x","params":{"a":[` + many(1_300_000/part, "{}") + `]}}` + "\n"}}},
		{name: "what jq makes", config: "[[rule]]\nname = \"large\"\nfrom = \"agent\"\nmethod = \"_x\"\njq = '.params.x = (\"x\" * " + fmt.Sprint(8_000_000/part) + ")'\n",
			agent: [][2]any{{1, strings.Repeat(`{"jsonrpc":"2.0","method":"_x","params":{}}`+"\n", 20)}}},
		{name: "folders of sessions that are not answered", client: [][2]any{
			{10, `{"jsonrpc":"2.0","id":{n},"method":"session/new","params":{"cwd":"/` + pad(8*mib/part) + `"}}` + "\n"},
			{1200 / part, `{"jsonrpc":"2.0","id":"x{n}","method":"session/new","params":{"cwd":"/w","additionalDirectories":[` + many(16, `"/`+pad(4000)+`"`) + `]}}` + "\n"}}},
		{name: "long ids of open requests", client: [][2]any{
			{28_000 / part, `{"jsonrpc":"2.0","id":"` + pad(3000) + `{n}","method":"session/new","params":{"cwd":"/w"}}` + "\n"}}},
		{name: "open prompts", client: [][2]any{
			{2000 / part, strings.Repeat(`{"jsonrpc":"2.0","id":"{n}x","method":"session/prompt","params":{"sessionId":"s{n}","prompt":[]}}`+"\n", 100)}}},
		{name: "sessions that are loaded", client: [][2]any{
			{16_000 / part, `{"jsonrpc":"2.0","id":{n},"method":"session/load","params":{"sessionId":"` + pad(1000) + `{n}","cwd":"/` + pad(4000) + `"}}` + "\n"}}},
		{name: "capabilities", client: [][2]any{
			{3, strings.Replace(oldHandshake, `"clientCapabilities":{}`, `"clientInfo":{"name":"`+pad(7*mib/part)+`"},"clientCapabilities":{"x":"`+pad(7*mib/part)+`"}`, 1)}}},
		{name: "both directions at once", both: true,
			agent: [][2]any{{140 / part, updateOf("s{n}", items("p{n}", many(100, entry(pad(5000)))))}, {1, updateOf("s", items("p", many(1_000_000/part, `{"content":"a"}`)))}},
			client: [][2]any{{260 / part, `{"jsonrpc":"2.0","id":"x{n}","method":"session/new","params":{"cwd":"/w","additionalDirectories":[` + many(64, `"/`+pad(4000)+`"`) + `]}}` + "\n"},
				{2, `{"jsonrpc":"2.0","id":{n},"method":"session/new","params":{"cwd":"/` + pad(15*mib/part) + `"}}` + "\n"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			defer busy()()
			dir := t.TempDir()
			config := filepath.Join(dir, "config.toml")
			os.WriteFile(config, []byte(limits+test.config), 0o600)
			script := []string{"recv", "send:" + strings.TrimSpace(agreed)}
			until := "until:" + strings.TrimSpace(done)
			if !test.both {
				script = append(script, until)
			}
			for i, part := range test.agent {
				file := filepath.Join(dir, fmt.Sprint(i))
				if err := os.WriteFile(file, []byte(part[1].(string)), 0o600); err != nil {
					t.Fatal(err)
				}
				script = append(script, fmt.Sprintf("play:%dx%s", part[0], file))
			}
			if test.both {
				script = append(script, until)
			}
			s := startShim(t, []string{"--config", config}, append(script, "send:"+strings.TrimSpace(done), "recv")...)
			s.send(oldHandshake)
			s.read(agreed)
			go func() {
				for _, part := range test.client {
					for n := range part[0].(int) {
						io.WriteString(s.in, strings.ReplaceAll(part[1].(string), "{n}", fmt.Sprint(n)))
					}
				}
				io.WriteString(s.in, done)
			}()
			s.out.SetReadDeadline(time.Time{}) // it is memory that is judged here
			n, err := readTo(s.out, done)
			if err != nil {
				t.Fatalf("%v after %d bytes; stderr: %s", err, n, s.stderr)
			}
			t.Logf("%d MB came out, %d MB were used", n>>20, s.peak()>>20)
			if rss := s.peak() / 1_000_000; rss > most {
				t.Errorf("%d MB of memory were used, at most %d wanted", rss, most)
			}
		})
	}
}

// readTo reads until a line has come, and counts the bytes.
func readTo(r io.Reader, line string) (n int, err error) {
	buf, tail := make([]byte, 1<<20), []byte{}
	for {
		m, err := r.Read(buf)
		n += m
		tail = append(tail, buf[:m]...)
		if bytes.Contains(tail, []byte(line)) {
			return n, nil
		}
		tail = append([]byte{}, tail[max(0, len(tail)-len(line)):]...)
		if err != nil {
			return n, err
		}
	}
}
