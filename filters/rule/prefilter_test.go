package rule

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/proxy"

	"github.com/go-json-experiment/json/jsontext"
)

// plenty are rules with all kinds of conditions.
func plenty(n int) []Rule {
	hit := []Setting{{"/hit", []byte("1")}}
	var rules []Rule
	for i := range n {
		r := Rule{Name: fmt.Sprint("rule ", i), Set: hit}
		switch i % 8 {
		case 0:
			r.Method, r.When = "session/update", equalTo("/params/update/title", fmt.Sprintf(`"title %d"`, i))
		case 1:
			r.Update, r.When = "tool_call*", When{Has: []string{fmt.Sprintf("/params/update/rawInput%d", i)}}
		case 2:
			r.Method, r.When = "session/*", When{Glob: map[string]string{"/params/_meta/a": fmt.Sprintf("*value%d*", i)}}
		case 3:
			r.When = When{Regexp: map[string]string{"/params/update/content/text": fmt.Sprintf(`secret%d\d`, i)}}
		case 4:
			r.Method = fmt.Sprintf("_x/%d*", i)
		case 5:
			r.Update = fmt.Sprintf("kind_%d", i)
		case 6:
			r.ResponseTo = fmt.Sprintf("_x/%d", i)
		case 7:
			r.Update, r.When = "agent_*", equalTo("/params/update/content", fmt.Sprintf(`{"n":%d}`, i))
			r.When.Has = []string{"/params/update/content/needle"}
		}
		rules = append(rules, r)
	}
	return rules
}

// several are rules with conditions on lists.
func several() []Rule {
	var rules []Rule
	for i, when := range []When{
		{Has: []string{"/params/update/list/*/name"}},
		{Has: []string{"/params/update/list/[id=a~1b]/x"}},
		{Has: []string{"/params/update/list/[n=1]"}},
		{Glob: values("/params/update/list/*/text", "*needle*")},
		{Regexp: values("/params/update/list/[id=c]/list/*/text", "needle[0-9]")},
		equalTo("/params/update/list/*/id", `"hit"`),
		equalTo("/params/*/*", `"hit"`),
		{Absent: []string{"/params/update/list/*"}, Has: []string{"/params/update/none"}},
	} {
		name := fmt.Sprint("several ", i)
		rules = append(rules, Rule{Name: name, Method: "session/update", When: when, Set: []Setting{{"/" + name, []byte("1")}}})
	}
	return rules
}

func TestNeedles(t *testing.T) {
	const none = ""
	for _, test := range []struct {
		when        When
		name, value string
	}{
		{When{Has: []string{"/error"}}, `"error"`, none},
		{When{Has: []string{"/params/_meta"}}, `"_meta"`, none},
		{When{Has: []string{"/params/list/0"}}, `"list"`, none}, // 0 is a name in an object only
		{When{Has: []string{"/params/list/*"}}, `"list"`, none},
		{When{Has: []string{"/params/list/[id=first]/text"}}, `"text"`, "first"},
		{When{Has: []string{"/0"}}, none, none},
		{When{Absent: []string{"/params/_meta"}}, none, none},
		{When{Absent: []string{"/params/_meta"}, Has: []string{"/params/a"}}, `"a"`, none},
		{When{Has: []string{"/params/a/b", "/params/long_name"}}, `"b"`, none},
		{equalTo("/params/kind", `"read"`), `"kind"`, `"read"`},
		{equalTo("/params/kind", `"a/bc"`), `"kind"`, "bc"}, // JSON may spell / as \/
		{equalTo("/params/size", `100`), `"size"`, none},    // or as 1e2
		{When{Glob: values("/params/text", "*some*longer*")}, `"text"`, "longer"},
		{When{Regexp: values("/params/text", "key-[0-9]")}, `"text"`, "key-"},
		{When{Regexp: values("/params/text", "(?i)key")}, `"text"`, none},
		{When{Has: []string{"/params/long_name"}, Regexp: values("/params/a", "x")}, `"a"`, "x"},
	} {
		r := compile(t, []Rule{{Name: "r", When: test.when, Log: true}}).rules[0]
		if r.needle.name != test.name || r.needle.value != test.value {
			t.Errorf("%+v: %q and %q, want %q and %q", test.when, r.needle.name, r.needle.value, test.name, test.value)
		}
	}
}

// A line that no rule matches takes no memory.
func TestLookingTakesNoMemory(t *testing.T) {
	agent := compile(t, plenty(40)).NewChain(Options{}).FromAgent(nil)
	lines := [][]byte{[]byte(chunk("s", "one")), []byte(chunk("s", "another"))}
	if n := testing.AllocsPerRun(100, func() {
		for _, line := range lines {
			if v := agent.Inspect(line, true); v != wire.Pass {
				t.Errorf("%s: %v", line, v)
			}
		}
	}); n > 0 {
		t.Errorf("it takes memory %v times", n)
	}
}

func TestLongestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abc": "abc", "/home/user": "home", "a\"bcd\"e": "bcd", "ab\\cde": "cde", "grüße, du": "e, du", "\nabcd\x7fe": "abcd",
	} {
		if got := longestPlain(text); got != want {
			t.Errorf("of %q %q is plain, want %q", text, got, want)
		}
	}
}

// The head of a line and the prefilter never exclude a rule that matches.
func FuzzSearchMissesNothing(f *testing.F) {
	for _, seed := range []string{
		chunk("s", "secret33"), chunk("s", `secr\u0065t3 secret35`), strings.Replace(chunk("s", "x"), "agent", `\u0061gent`, 1),
		`{"method":"session/update","params":{"update":{"title":"title \u0030"}}}`, `{"method":"session/update","params":{"update":{"t\u0069tle":"title 8"}}}`,
		`{"method":"session/x","params":{"_meta":{"a":"a value2\/"}}}`, `{"params":{"update":{"sessionUpdate":"tool_call","rawInput1":null}},"method":"session/update"}`,
		`[{"method":"_x/4"},{"method":"_x/5"}]`, `{"method":"session/update","params":{"update":{"sessionUpdate":"agent_x","content":{"needle":1}}}}`,
	} {
		f.Add([]byte(chunk("s", "a beginning that they may share")), []byte(seed), "*val[u]e2*")
	}
	f.Add([]byte(chunk("s", "the same secret")), []byte(chunk("s", "the same secret3")), "")
	f.Add([]byte(chunk("s", `the same \\\\\\`)), []byte(chunk("s", `the same \\\u0073ecret35`)), "")
	for _, seed := range [][2]string{ // a title, as it stands in a line, and what matches it
		{"xbcdefy", "{a,*x}bcd[d-f]f?"}, {"abc[d]", `abc\[d\]`}, {`ab\"cd\u005cef`, `ab"cd\\ef`}, {"a*bcd", `a\*\b[^x]?`}, {`x\u0062c{d}`, `{abc,x}bc\{d\}`}, {`\ud800abc`, "\uFFFDabc"},
	} {
		f.Add([]byte{}, []byte(`{"method":"session/update","params":{"update":{"title":"`+seed[0]+`"}}}`), seed[1])
	}
	for _, seed := range []string{
		`{"list":[{"id":"x","text":"hay"},{"name":1}]}`, `{"list":[{"id":"a\/b","x":1}]}`, `{"list":{"[id=a/b]":{"x":1}}}`, `{"list":{"*":{"name":1}}}`,
		`{"list":[ [], 1 ,{"id":"c","list":["needle2",{"text":"a needle3"}]}]}`, `{"list":[{"i\u0064":"hit"}]}`, `{"list":[{"n":1}]}`, `{"none":1,"list":[]}`, `{"list":["x",{"id":"h\u0069t"}]}`,
	} {
		f.Add([]byte(`{"method":"session/update","params":{"update":{"list":[{"id":"y"}]}}}`), []byte(`{"method":"session/update","params":{"update":`+seed+`}}`), "")
		f.Add([]byte{}, []byte(`{"method":"session/update","params":[`+seed+`,["hit"]]}`), "")
	}
	f.Fuzz(func(t *testing.T, before, line []byte, glob string) {
		before, line = bytes.ReplaceAll(before, []byte("\n"), []byte(" ")), bytes.ReplaceAll(line, []byte("\n"), []byte(" "))
		rules := append(plenty(16), Rule{Name: "any", When: When{Equals: map[string]jsontext.Value{"/params/x": []byte(`"a/b"`)}}, Set: []Setting{{"/any", []byte("1")}}})
		if p, err := newPattern(glob); err == nil && p != nil {
			rules = append(rules, Rule{Name: "glob", When: When{Glob: map[string]string{"/params/update/title": glob}}, Set: []Setting{{"/glob", []byte("1")}}})
		}
		rules = append(rules, several()...)
		set := compile(t, rules)
		quick := set.NewChain(Options{}).FromAgent(nil)
		through(quick, nil, before)
		for range 2 { // the second time by what it remembers
			all := set.NewChain(Options{Events: Events{Step: func(Step) {}}}).FromAgent(nil)
			want := string(applied(all, nil, line))
			if got := string(through(quick, nil, line)); got != want {
				t.Fatalf("%q\nquickly gives %q\n      read %q", line, got, want)
			}
			if len(line) > 0 {
				for cut := range min(len(line), 200) { // of a line that comes in pieces, too
					if v := quick.Inspect(line[:cut], false); v == wire.Pass && want != string(line) {
						t.Fatalf("%q passes by %q", line, line[:cut])
					}
				}
			}
		}
	})
}

// Lines that come in pieces, or share beginnings and ends, get the same result as single lines.
func FuzzRelayedLines(f *testing.F) {
	stream := func(texts ...string) []byte {
		var b []byte
		for _, text := range texts {
			b = append(append(b, chunk("s", text)...), '\n')
		}
		return b
	}
	f.Add(stream("one", "two", "secret35", "three secr", "et35"), byte(7))
	f.Add(stream("a\"b", "\\", "\\\\\"", "title", "secret3x", "secret33"), byte(50))
	f.Add(append(stream("x"), `{"method":"session/update","params":{"update":{"title":"title 0"}}}`+"\r\n"+`{"method":"session/update","params":{"update":{"title":"title 8","x":[{"title":"title 0"}]}}}`+"\n"+`[{"method":"_x/4"}]`...), byte(1))
	f.Add([]byte(`{"method":"session/update","params":{"update":{"sessionUpdate":"agent_x","content":{"needle":"`+strings.Repeat("y", 5000)+`"}}}}`+"\n"+`{"a":"`), byte(255))
	// Lines of another kind are not taken for those that they begin like.
	f.Add([]byte(strings.Repeat(update("s", "usage_update")+"\n", 3)+strings.Repeat(update("s", "agent_thought_chunk")+"\n", 4)), byte(255))
	f.Add([]byte(strings.Repeat(`{"jsonrpc":"2.0","method":"_x/status","params":{}}`+"\n", 3)+`{"jsonrpc":"2.0","method":"_x/ping","params":{},"id":0}`+"\n"), byte(255))
	f.Fuzz(func(t *testing.T, in []byte, size byte) {
		set := compile(t, append(plenty(40),
			Rule{Name: "no meta", Method: "session/update", When: When{Has: []string{"/params/update/_meta"}}, Delete: []string{"/params/update/_meta"}},
			Rule{Name: "no thoughts", Update: "agent_thought_chunk", Action: "drop"},
			Rule{Name: "ask", Method: "_x/status", When: When{Has: []string{"/params/a"}}, Set: []Setting{{"/params/b", []byte("1")}}},
			Rule{Name: "ping", Method: "_x/ping", Set: []Setting{{"/params/c", []byte("1")}}}))
		var want []byte
		all := set.NewChain(Options{Events: Events{Step: func(Step) {}}}).FromAgent(nil)
		for line := range bytes.Lines(in) {
			want = applied(all, want, line)
		}
		for _, next := range []wire.Interceptor{nil, wire.Base{}} {
			var got bytes.Buffer
			from := &pieces{in, int(size) + 1}
			if err := proxy.Relay(&got, from, set.NewChain(Options{}).FromAgent(next), 1<<20); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Fatalf("in pieces of %d, of %q\nbecame %q\n  want %q", from.size, in, got.Bytes(), want)
			}
		}
	})
}

// pieces reads a few bytes at a time.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
