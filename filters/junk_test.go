package filters

import (
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

func TestJunk(t *testing.T) {
	junk := []string{
		"npm WARN deprecated x@1", "\x1b[31mERROR\x1b[0m", `DEBUG {"method":"a"}`, "3", `"text"`, "null",
		`{"level":30,"id":1,"msg":"started"}`, `{}`, `  "jsonrpc": "2.0",`, "}", "Content-Length: 20", "\x00\xff",
	}
	// These need the whole line, for which nothing waits where junk passes.
	late := []string{"{", `{"level":"` + strings.Repeat("x", 10_000) + `"}`, `{"a\u0062":1}`,
		"[iFlow ACP Agent] ready", "[1] 4711", "  [2026-11-28T12:00:00Z] INFO start", "[", `["a"`, `[{"method":"a"},]`,
	}
	messages := []string{
		`{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":1}`, `{"id":1,"result":null}`, `{"error":{}}`, `{"m\u0065thod":"x"}`,
		`{"r\u0065sult":1}`, `{"\u0065rror":{}}`,
		`[]`, `[{"method":"a"}]`, `[{"method":"a"}] x`, ` [ {"method":"a"} , 1 ]`, `["a"]`, "", "   ", "\r", `{"method":"a"} trailing`, `{"method":"a","method":"b"}`,
		`{"type":"` + strings.Repeat("x", 10_000) + `","method":"a"}`, "\xef\xbb\xbf" + `{"method":"a"}`,
	}
	for _, policy := range []JunkPolicy{"", JunkPass, JunkStderr, JunkDrop} {
		var aside, reported []string
		j := &Junk{Policy: policy,
			Found: func(line []byte, n int) {
				if reported = append(reported, string(line)); n != len(reported) {
					t.Errorf("number %d is %d", len(reported), n)
				}
			},
			Aside: func(line []byte) { aside = append(aside, string(line)) },
		}
		look := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Junk: j}).FromAgent()
		for _, line := range messages {
			if j.IsJunk([]byte(line)) {
				t.Errorf("%.40q is junk", line)
			}
			if got := through(look, line); got != line+"\n" || len(reported) > 0 {
				t.Errorf("%q: %.40q became %.40q, %d reported", policy, line, got, len(reported))
			}
		}
		junk := junk
		if policy == JunkStderr || policy == JunkDrop {
			junk = append(slices.Clone(junk), late...)
		}
		for i, line := range junk {
			want := line + "\n"
			if policy == JunkStderr || policy == JunkDrop {
				want = ""
			}
			if got := through(look, line); got != want {
				t.Errorf("%q: %.40q became %.40q", policy, line, got)
			}
			if len(reported) != i+1 {
				t.Fatalf("%q: %.40q was reported %d times", policy, line, len(reported)-i)
			}
		}
		if want := len(junk); policy == JunkStderr && len(aside) != want || policy != JunkStderr && len(aside) != 0 {
			t.Errorf("%q: %d lines moved aside", policy, len(aside))
		}
	}
}

func TestJunkWithoutFound(t *testing.T) {
	j := &Junk{Policy: JunkDrop}
	if j.Take(nil); j.Number() != 1 {
		t.Error("it is not counted")
	}
}

func TestJunkForwardsMessages(t *testing.T) {
	c := conversation.New(conversation.Options{})
	gate := NewGatekeeper(func(_, _ conversation.Implementation) []string { return []string{"notices"} })
	d := dispatch.New(c, dispatch.Options{Junk: &Junk{}, Adapters: []dispatch.Adapter{gate}})
	through(d.FromClient(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`)
	through(d.FromAgent(), `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`)
	agent := d.FromAgent()
	for range 2 { // the second time by its beginning
		if got := through(agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}`); got != "" {
			t.Errorf("got %s", got)
		}
	}
}

// through sends a line through an interceptor.
func through(look wire.Interceptor, line string) string {
	out, _ := wire.Apply(look, nil, []byte(line+"\n"))
	return string(out)
}

func TestJunkHint(t *testing.T) {
	for line, want := range map[string]string{"Content-Length: 3\r\n": "LSP framing", "{\n": "several lines", "}": "several lines", "{a": "", "3": "", "npm WARN\n": ""} {
		if got := JunkHint([]byte(line)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("JunkHint(%q) = %q", line, got)
		}
	}
}
