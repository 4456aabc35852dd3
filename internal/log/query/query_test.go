package query

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

const source = `{"kind":"start","schema":1,"run":"r"}
{"kind":"message","seq":1,"time":"2026-03-04T10:00:01Z","mono":1000000000,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":"/"}}}
{"kind":"message","seq":2,"time":"2026-03-04T10:00:02Z","mono":2000000000,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","id":7,"result":{"sessionId":"2f-one"}}}
{"kind":"message","seq":3,"time":"2026-03-04T10:00:03Z","mono":3000000000,"dir":"agent","len":1,"stage":"in","by":["no usage noise"],"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"three","update":{"sessionUpdate":"plan_update","text":"say \"Hi\""}}}}
{"kind":"message","seq":4,"time":"2026-03-04T10:00:04Z","mono":4000000000,"dir":"client","len":1,"msg":{"jsonrpc":"2.0","id":"7","error":{"code":1,"message":"no"}}}
{"kind":"message","seq":5,"time":"2026-03-04T10:00:05Z","mono":5000000000,"dir":"agent","len":1,"b64":"dXNhZ2UK"}
{"kind":"stderr","seq":6,"time":"2026-03-04T10:00:06Z","mono":6000000000,"text":"Usage: none\n"}
`

func TestMatch(t *testing.T) {
	zone := time.Local
	time.Local = time.FixedZone("", 3600)
	defer func() { time.Local = zone }()
	h, err := history.Read(record.NewReader(strings.NewReader(source)))
	if err != nil || len(h.Messages) != 5 {
		t.Fatal(err, len(h.Messages))
	}
	for _, test := range []struct{ query, want string }{
		{"", "123456"},
		{"  ", "123456"},
		{"dir:agent", "235"},
		{"dir:client", "14"},
		{"method:session/*", "123"},
		{"method:session/new", "12"},
		{"method:*", "123"},
		{"-method:*", "456"},
		{"update:plan*", "3"},
		{"id:7", "124"},
		{`id:"7"`, "124"},
		{"id:8", ""},
		{"session:1", "12"},
		{"session:2", "3"},
		{"session:2f", "12"},
		{"session:three", "3"},
		{"session:0", ""},
		{`rule:"no usage noise"`, "3"},
		{"rule:no*", "3"},
		{"rule:usage", ""},
		{"changed:yes", "3"},
		{"changed:no", "1245"},
		{"-changed:yes", "12456"},
		{"kind:request", "1"},
		{"kind:notification", "3"},
		{"kind:response", "24"},
		{"kind:other", "5"},
		{"failed:yes", "4"},
		{"failed:no", "1235"},
		{"since:3s", "3456"},
		{"until:3s", "123"},
		{"since:2s until:3000ms", "23"},
		{"since:11:00:03", "3456"},
		{"until:11:00:03.5", "123"},
		{"since:11:01", ""},
		{"since:2026-03-04T10:00:05Z", "56"},
		{"usage", "56"},
		{"USAGE", "56"},
		{"-usage", "1234"},
		{`"session/new"`, "1"},
		{`"say \"hi\""`, "3"},
		{`"say \\\"hi\\\""`, "3"},
		{"dir:agent usage", "5"},
		{"dir:agent -kind:response -usage", "3"},
		{`"-usage"`, ""},
		{`"dir=agent"`, ""},
		{"!x", ""},
		{`-"usage: none"`, "12345"},
	} {
		q, err := Parse(test.query)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		got := ""
		for _, m := range h.Messages {
			if q.Match(m) {
				got += fmt.Sprint(m.Seq)
			}
		}
		for _, r := range h.Others {
			if q.MatchOther(r) {
				got += fmt.Sprint(r.Seq)
			}
		}
		if got != test.want {
			t.Errorf("%s: matches %s, want %s", test.query, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"dir:agent mehtod:x", "unknown term \"mehtod\", did you mean \"method\"?\n  dir:agent mehtod:x\n            ^"},
		{"see http://x y", "unknown term \"http\": want one of dir, from, method, update, id, session, rule, changed, since, until, kind, failed, or \"http://x\" for a text\n  see http://x y\n      ^"},
		{"dir:agnet", "dir: unknown value \"agnet\", did you mean \"agent\"?\n  dir:agnet\n      ^"},
		{"changed:perhaps", "changed: want yes or no, not \"perhaps\"\n  changed:perhaps\n          ^"},
		{"-kind:x", "kind: want request or notification or response or other, not \"x\"\n  -kind:x\n        ^"},
		{"method:a[", "method: glob \"a[\": want a ] for each [, or \\[ for a bracket\n  method:a[\n         ^"},
		{"since:yesterday", "since: want a time since the run began, such as 10s or 1m30s, or a time of day, such as 14:30:05\n  since:yesterday\n        ^"},
		{"until:-1s", "until: want a time since the run began, such as 10s or 1m30s, or a time of day, such as 14:30:05\n  until:-1s\n        ^"},
		{"id: 7", "want the id of a request\n  id: 7\n     ^"},
		{`a "b c`, "want a \" at the end of the text\n  a \"b c\n    ^"},
		{`"a"b`, "want a space after a text in quotes\n  \"a\"b\n     ^"},
		{"a - b", "want a term after -\n  a - b\n    ^"},
		{"dir=agent", "want dir:agent, or \"dir=agent\" for a text\n  dir=agent\n  ^"},
		{"a -kind=x b", "want kind:x, or \"kind=x\" for a text\n  a -kind=x b\n     ^"},
		{"!method:session/new", "a minus before the term negates it: -method:session/new\n  !method:session/new\n  ^"},
		{"method:!session/new", "a minus before the term negates it: -method:session/new\n  method:!session/new\n         ^"},
		{`""`, "want a text between the quotes\n  \"\"\n  ^"},
		{"ü\x1b[2J mehtod:x", "unknown term \"mehtod\", did you mean \"method\"?\n  ü\ufffd[2J mehtod:x\n        ^"},
		{strings.Repeat("a ", 100) + "mehtod:x" + strings.Repeat(" b", 100), "unknown term \"mehtod\", did you mean \"method\"?\n  …" +
			strings.Repeat(" a", 29) + " mehtod:x" + strings.Repeat(" b", 25) + " …\n  " + strings.Repeat(" ", 60) + "^"},
	} {
		_, err := Parse(test.query)
		var e *Error
		if !errors.As(err, &e) || err.Error() != test.want {
			t.Errorf("%s: got\n%v\nwant\n%s", test.query, err, test.want)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"dir:agent", "text"}, "dir:agent text"},
		{[]string{"rule:no usage noise"}, `rule:"no usage noise"`},
		{[]string{"-rule:no usage noise", "x"}, `-rule:"no usage noise" x`},
		{[]string{"two words"}, `"two words"`},
		{[]string{"-two words"}, `-"two words"`},
		{[]string{"dir:agent method:x"}, "dir:agent method:x"},
		{[]string{`rule:"no usage" x`}, `rule:"no usage" x`},
		{[]string{"see http://x"}, `"see http://x"`},
	} {
		if got := Join(test.args); got != test.want {
			t.Errorf("%q: got %s, want %s", test.args, got, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"dir:agent -method:session/* id:7", `rule:"a \"b\" \\" x "y z" -"-" since:10s until:12:30`, `"a:b"`, "-- \x00", `"a\*"`, `"dir=x" !a -"id="`} {
		f.Add(seed)
	}
	h, err := history.Read(record.NewReader(strings.NewReader(source)))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			if strings.Count(err.Error(), "\n") != 2 {
				t.Fatalf("%q: want an error of three lines, have\n%v", text, err)
			}
			return
		}
		if q.String() != text {
			t.Fatalf("%q became %q", text, q)
		}
		negated, err := Parse("-" + strings.TrimLeftFunc(text, isSpace))
		if len(q.terms) != 1 || q.terms[0].not || err != nil {
			return
		}
		for _, m := range h.Messages { // either a term or its negation matches
			if q.Match(m) == negated.Match(m) {
				t.Fatalf("%q and its negation both match or both do not match %s", text, m.JSON)
			}
		}
	})
}

// The nearest kind of update is found for one that none of the record has.
func TestNearUpdate(t *testing.T) {
	known := []string{"plan", "plan_update", "tool_call"}
	for text, want := range map[string]string{
		"update:plna*": "plan", "update:plan_updaet dir:agent": "plan_update", "update:plan*": "", "-update:plna": "", "method:plna": "", "update:something": "",
	} {
		q, err := Parse(text)
		if got := q.NearUpdate(known); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}
