package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/redact"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// opener opens a text as a record.
func opener(text string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// exported is a record in all formats, by their names.
func exported(t *testing.T, text string, o Options) map[string]string {
	t.Helper()
	var jsonl, trace bytes.Buffer
	if err := Copy(&jsonl, opener(text), o); err != nil {
		t.Fatal(err)
	}
	h, err := history.Read(record.NewReader(bytes.NewReader(jsonl.Bytes())))
	if err != nil || h.Broken > 0 && o.Redactor != nil {
		t.Fatalf("%v, %d broken lines in\n%s", err, h.Broken, jsonl.String())
	}
	if _, err := Trace(&trace, opener(text), o); err != nil {
		t.Fatal(err)
	}
	archive, _ := Txtar(h)
	return map[string]string{"jsonl": jsonl.String(), "trace": trace.String(), "txtar": string(txtar.Format(archive))}
}

func redactor(t *testing.T) *redact.Redactor {
	t.Helper()
	r, err := redact.New(redact.Options{Home: "/home/alice", User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A planter writes a record with a new secret in each place. They are put
// together so that nothing that looks at sources takes them for real.
type planter struct{ secrets []string }

func (p *planter) token() string {
	s := fmt.Sprintf("gh"+"p_Zq7vB2nK4xW8mT1pZq7vB2nK4xW8mT%06d", len(p.secrets))
	p.secrets = append(p.secrets, s)
	return s
}

func (p *planter) word() string {
	s := fmt.Sprintf("Hk3mW9xQ%04d", len(p.secrets))
	p.secrets = append(p.secrets, s)
	return s
}

func (p *planter) record() string {
	const session = "0199aabb-373e-772d-9632-bb7d38a8d47b"
	p.secrets = append(p.secrets, session, "alice")
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	head := b64("{\"apiKey\":\"" + p.word())
	lines := []string{
		`{"kind":"start","schema":1,"time":"2026-11-21T07:56:49Z","run":"r","part":0,"cwd":"/home/alice/project","argv":["agent","--api-key","` + p.word() + `","--token=` + p.word() + `"],"unknown":"` + p.token() + `"}`,
		`{"kind":"message","seq":1,"mono":1,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","method":"x/early","params":{"text":"in ` + session + `"}}}`,
		`{"kind":"message","seq":2,"mono":2,"dir":"client","len":9,"msg":{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/home/alice","mcpServers":[{"name":"m","command":"c","args":[],"env":[{"name":"A","value":"` + p.word() + `"}]}]}}}`,
		`{"kind":"message","seq":3,"mono":3,"dir":"agent","len":9,"msg":{"jsonrpc":"2.0","id":0,"result":{"sessionId":"` + session + `"}}}`,
		`{"kind":"message","seq":4,"mono":4,"dir":"client","stage":"in","by":["rule ` + p.token() + `"],"why":["shows \"` + p.token() + `\""],"reasons":[{"by":"rule ` + p.token() + `","code":"rule.changed","values":["` + p.token() + `"],"new":"` + p.token() + `"}],"len":9,"b64":"` + b64(`{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"apiKey":"`+p.word()+`"}}`+"\r\n") + `"}`,
		`{"kind":"message","seq":5,"mono":4,"dir":"client","stage":"out","of":4,"len":9,"msg":{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"apiKey":"` + p.word() + `"}}}`,
		`{"kind":"message","seq":6,"mono":5,"dir":"agent","len":9,"b64":"` + b64("no JSON \xff but password="+p.word()+"\n") + `"}`,
		`{"kind":"message","seq":7,"mono":6,"dir":"agent","len":9000000,"head":"` + head + `","sha256":"00"}`,
		`{"kind":"stderr","seq":8,"mono":7,"text":"OPENAI_API_KEY=` + p.word() + `\n"}`,
		`{"kind":"stderr","seq":9,"mono":8,"b64":"` + b64("\xffOPENAI_API_KEY="+p.word()) + `"}`,
		`{"kind":"event","seq":10,"mono":9,"event":{"authorization":"` + p.word() + `"}}`,
		`{"kind":"gap","seq":11,"mono":10,"stream":"all","count":1,"bytes":1,"why":"open /home/alice/` + p.token() + `"}`,
		`{"kind":"new","seq":12,"text":"` + p.token() + `"}`,
		`no record ` + p.token(),
		`{"kind":"message","kind":"message","seq":13,"dir":"agent","msg":"` + p.token() + `"}`,
		`{"kind":"end","seq":14,"mono":11,"status":0,"signal":"` + p.token() + `","not_started":"agent \"` + p.token() + `\": not found","path":"/home/alice/bin","connection":"it says ` + p.token() + `","steps":[{"what":"agent-exited","mono":3}],"client":{"lines":2,"bytes":9},"agent":{"lines":2,"bytes":9},"gaps":0,"lost":{"lines":0,"bytes":0}}`,
		`{"kind":"stderr","seq":15,"text":"cut ` + p.token(),
	}
	return strings.Join(lines, "\n")
}

func TestNoPlantedSecretIsExported(t *testing.T) {
	var p planter
	text := p.record()
	for format, got := range exported(t, text, Options{Redactor: redactor(t)}) {
		if !strings.Contains(got, "authenticate") {
			t.Errorf("%s has lost the messages:\n%s", format, got)
		}
		for _, fact := range []string{`"code":"rule.changed","values":[`, `"steps":[{"what":"agent-exited","mono":3}]`} {
			if format == "jsonl" && !strings.Contains(got, fact) {
				t.Errorf("%s has lost %s:\n%s", format, fact, got)
			}
		}
		for _, secret := range p.secrets {
			if looksInto(got, secret) {
				t.Errorf("%s has %q:\n%s", format, secret, got)
			}
		}
	}
	reason := `shows "` + p.token() + `"` // as a record that is redacted while it is written has it
	if got := redactor(t).Redact(nil, []byte(reason)); string(got) == reason || !strings.HasPrefix(string(got), "shows ") {
		t.Errorf("a reason becomes %s", got)
	}
	open := exported(t, text, Options{})
	if !looksInto(open["jsonl"], p.secrets[2]) {
		t.Error("without a redactor the secret is gone, too: this test finds nothing")
	}
}

// looksInto reports whether a text has a secret, as it is or in base64.
func looksInto(text, secret string) bool {
	if strings.Contains(text, secret) {
		return true
	}
	for line := range strings.Lines(text) {
		var rec struct{ B64, Head []byte }
		if json.Unmarshal([]byte(line), &rec) == nil && (bytes.Contains(rec.B64, []byte(secret)) || bytes.Contains(rec.Head, []byte(secret))) {
			return true
		}
	}
	return false
}

func TestRedactedEntriesAreMarked(t *testing.T) {
	const text = `{"kind":"start","schema":1,"argv":["a"]}
{"kind":"message","seq":1,"dir":"client","len":20,"msg":{"id": 1.0}}
{"kind":"message","seq":2,"dir":"client","len":20,"msg":{"apiKey": "hunter22x"}}
{"kind":"stderr","seq":3,"text":"fine\n"}
{"kind":"message","seq":4,"dir":"agent","len":9000000,"head":"eyJhIjox","sha256":"00"}
`
	const want = `{"kind":"start","schema":1,"argv":["a"],"redacted":true}
{"kind":"message","seq":1,"dir":"client","len":20,"msg":{"id": 1.0}}
{"kind":"message","seq":2,"dir":"client","len":20,"msg":{"apiKey": "[redacted:key]"},"redacted":true}
{"kind":"stderr","seq":3,"text":"fine\n"}
{"kind":"message","seq":4,"dir":"agent","len":9000000,"redacted":true}
`
	got := exported(t, text, Options{Redactor: redactor(t)})["jsonl"]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A history counts the broken lines of its record, whether they were copied or not.
func TestReadCountsBrokenLines(t *testing.T) {
	const text = `{"kind":"start","schema":1}
no record
{"kind":"new","seq":1}
{"kind":"message","seq":2,"dir":"client","msg":{"id":1,"method":"a"}}
{"kind":"message","seq":"three"}
{"kind":"mess`
	for name, r := range map[string]*redact.Redactor{"redacted": redactor(t), "as it is": nil} {
		h, err := Read(opener(text), Options{Redactor: r})
		if err != nil || h.Broken != 3 || len(h.Messages) != 1 || h.Start.Redacted != (r != nil) {
			t.Errorf("%s: %v, %d broken lines, %d messages, %+v", name, err, h.Broken, len(h.Messages), h.Start)
		}
	}
	gone := errors.New("gone")
	if _, err := Read(func() (io.ReadCloser, error) { return nil, gone }, Options{}); err != gone {
		t.Errorf("%v", err)
	}
}

func TestOnlyWhatIsKeptIsExported(t *testing.T) {
	const text = `{"kind":"start","schema":1}
{"kind":"message","seq":1,"dir":"client","msg":{"id":1,"method":"a"}}
{"kind":"message","seq":2,"dir":"client","msg":{"id":2,"method":"b"}}
{"kind":"stderr","seq":3,"text":"x"}
{"kind":"gap","seq":4,"stream":"all","count":1}
`
	got := exported(t, text, Options{Keep: func(seq uint64) bool { return seq == 2 }})["jsonl"]
	const want = `{"kind":"start","schema":1}
{"kind":"message","seq":2,"dir":"client","msg":{"id":2,"method":"b"}}
{"kind":"gap","seq":4,"stream":"all","count":1}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTrace(t *testing.T) {
	const text = `{"kind":"message","seq":1,"mono":1000000,"dir":"client","msg":{"jsonrpc":"2.0","id":0,"method":"session/prompt","params":{"sessionId":"s"}}}
{"kind":"message","seq":2,"mono":2000000,"dir":"agent","stage":"in","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","a":1}}}
{"kind":"message","seq":3,"mono":2000000,"dir":"agent","stage":"out","of":2,"msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","a":2}}}
{"kind":"message","seq":4,"mono":3000000,"dir":"agent","msg":{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"no"}}}
`
	const want = `{"type":"request","ts":0.001000000,"protocol":"acp","from":"client","to":"acpshim","id":"client:0@client","method":"session/prompt","session":"s","params":{"sessionId":"s"}}
{"type":"request","ts":0.001000000,"protocol":"acp","from":"acpshim","to":"agent","id":"client:0@agent","method":"session/prompt","session":"s","params":{"sessionId":"s"}}
{"type":"notification","ts":0.002000000,"protocol":"acp","from":"agent","to":"acpshim","method":"session/update","session":"s","params":{"sessionId":"s","a":1}}
{"type":"notification","ts":0.002000000,"protocol":"acp","from":"acpshim","to":"client","method":"session/update","session":"s","params":{"sessionId":"s","a":2}}
{"type":"response","ts":0.003000000,"from":"agent","to":"acpshim","id":"client:0@agent","is_error":true,"payload":{"code":1,"message":"no"}}
{"type":"response","ts":0.003000000,"from":"acpshim","to":"client","id":"client:0@client","is_error":true,"payload":{"code":1,"message":"no"}}
`
	if diff := cmp.Diff(want, exported(t, text, Options{})["trace"]); diff != "" {
		t.Error(diff)
	}
}

// The viewer refuses a file that is not UTF-8, leaves out lines that its JSON reader refuses, shows
// nothing after a preview that is not a text, and takes methods for HTML.
func TestTraceIsWhatTheViewerReads(t *testing.T) {
	update := func(u string) string { return `"method":"session/update","params":{"update":` + u + `}` }
	nested := func(n int) string {
		return `"method":"a","params":` + strings.Repeat("[", n) + strings.Repeat("]", n)
	}
	asText := func(params string) string {
		return `"params":` + string(wire.Quote(nil, params)) + "}"
	}
	for name, test := range map[string]struct{ message, want string }{
		"as it is":          {`"method":"a","params":{"a": [1.0,-0,1e308,"\u00e9","\ud83d\ude00",null]}`, `"params":{"a": [1.0,-0,1e308,"\u00e9","\ud83d\ude00",null]}}`},
		"none":              {`"method":"a"`, `"params":null}`},
		"not UTF-8":         {`"method":"a","params":{"a":"` + "\xff" + `"}`, asText("{\"a\":\"\ufffd\"}")},
		"half a surrogate":  {`"method":"a","params":{"a":"\ud800"}`, asText(`{"a":"\ud800"}`)},
		"a large number":    {`"method":"a","params":[1e309]`, asText(`[1e309]`)},
		"names twice":       {`"method":"a","params":[{"a":1,"a":2}]`, `"params":[{"a":1,"a":2}]}`},
		"deep":              {nested(126), `"params":` + strings.Repeat("[", 126) + strings.Repeat("]", 126) + "}"},
		"too deep":          {nested(127), asText(strings.Repeat("[", 127) + strings.Repeat("]", 127))},
		"a text":            {update(`{"content":{"text":"a"},"status":"b"}`), `"params":{"update":{"content":{"text":"a"},"status":"b"}}}`},
		"no text":           {update(`{"content":{"text":null},"status":null}`), `"params":{"update":{"content":{"text":null},"status":null}}}`},
		"a number":          {update(`{"content":{"text":7}}`), asText(`{"update":{"content":{"text":7}}}`)},
		"an object":         {update(`{"status":{}}`), asText(`{"update":{"status":{}}}`)},
		"the second time":   {update(`{"content":{"text":"a","text":[1]}}`), asText(`{"update":{"content":{"text":"a","text":[1]}}}`)},
		"elsewhere":         {update(`{"content":[{"text":7}],"rawInput":{"status":7}}`), `"params":{"update":{"content":[{"text":7}],"rawInput":{"status":7}}}}`},
		"a prompt":          {`"method":"session/prompt","params":{"prompt":[{"text":true}]}`, asText(`{"prompt":[{"text":true}]}`)},
		"of another method": {`"method":"a","params":{"prompt":[{"text":true}],"update":{"status":1}}`, `"params":{"prompt":[{"text":true}],"update":{"status":1}}}`},
		"markup":            {`"method":"<!--&"`, `"method":"&lt;!--&amp;","params":null}`},
		"a result":          {`"id":1,"result":{"a":"` + "\xff" + `"}`, `"payload":` + string(wire.Quote(nil, "{\"a\":\"\ufffd\"}")) + "}"},
	} {
		t.Run(name, func(t *testing.T) {
			line := base64.StdEncoding.EncodeToString([]byte(`{"jsonrpc":"2.0",` + test.message + "}\n"))
			got := exported(t, `{"kind":"message","seq":1,"mono":1,"dir":"agent","b64":"`+line+`"}`+"\n", Options{})["trace"]
			events := strings.SplitAfter(strings.TrimSuffix(got, "\n"), "\n")
			if len(events) != 2 || !strings.HasSuffix(strings.TrimSpace(events[0]), test.want) || !utf8.ValidString(got) {
				t.Errorf("got\n%swant two that end with\n%s", got, test.want)
			}
		})
	}
}

func TestLinesThatTxtarCannotHoldAreLeftOut(t *testing.T) {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	text := `{"kind":"start","schema":1,"acpshim":"v\n-- agent --\n"}
{"kind":"message","seq":1,"dir":"client","msg":{"a":1}}
{"kind":"message","seq":2,"dir":"agent","b64":"` + b64("-- client --\n") + `"}
{"kind":"message","seq":3,"dir":"agent","b64":"` + b64("-- no section\n") + `"}
{"kind":"message","seq":4,"dir":"agent","stage":"in","b64":"` + b64("{\"a\":\"\xff\"}\n") + `"}
{"kind":"message","seq":5,"dir":"agent","stage":"out","of":4,"msg":{"of":"what is left out"}}
{"kind":"message","seq":6,"dir":"agent","stage":"out","msg":{"own":1}}
{"kind":"message","seq":7,"dir":"agent","sha256":"00"}
{"kind":"message","seq":75,"dir":"agent","stage":"out","msg":{"id":"own","method":"fs/read_text_file"}}
{"kind":"message","seq":76,"dir":"client","stage":"in","msg":{"id":"own","result":{}}}
{"kind":"message","seq":80,"dir":"agent","b64":"` + b64("unterminated") + `"}
`
	h, err := history.Read(record.NewReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	archive, omitted := Txtar(h)
	const want = "A conversation that acpshim recorded.\nversion: \"v\\n-- agent --\\n\"\nrun: \"\"\nconfig: \"\"\n-- client --\n{\"a\":1}\n-- to agent --\n{\"a\":1}\n-- agent --\n-- no section\nunterminated\n-- to client --\n-- no section\nunterminated\n"
	if diff := cmp.Diff(want, string(txtar.Format(archive))); diff != "" {
		t.Error(diff)
	}
	wantOmitted := []string{"it would begin a section: #2", "it is not valid UTF-8: #4", "acpshim made it on its own: #6 #75",
		"it was too long to be recorded: #7", "it responds to a request that acpshim sent itself: #76"}
	if diff := cmp.Diff(wantOmitted, omitted); diff != "" {
		t.Error(diff)
	}
}

// Rules respond in place of either peer. Their responses come after the forwarded lines.
func TestResponsesOfRulesAreExpected(t *testing.T) {
	text := `{"kind":"start","schema":1,"acpshim":"v"}
{"kind":"message","seq":1,"dir":"client","stage":"in","by":["pong"],"msg":{"id":5,"method":"_ping"}}
{"kind":"message","seq":2,"dir":"agent","stage":"out","msg":{"id":5,"result":{}}}
{"kind":"message","seq":3,"dir":"client","msg":{"method":"_x"}}
{"kind":"message","seq":4,"dir":"agent","stage":"in","by":["deny","pong"],"msg":{"id":5,"method":"_ask"}}
{"kind":"message","seq":5,"dir":"client","stage":"out","of":4,"msg":{"id":5,"error":{}}}
{"kind":"message","seq":6,"dir":"agent","msg":{"method":"_y"}}
`
	h, err := history.Read(record.NewReader(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	archive, omitted := Txtar(h)
	const want = `-- client --
{"id":5,"method":"_ping"}
{"method":"_x"}
-- to agent --
{"method":"_x"}
-- to client --
{"id":5,"result":{}}
-- agent --
{"id":5,"method":"_ask"}
{"method":"_y"}
-- to client --
{"method":"_y"}
-- to agent --
{"id":5,"error":{}}
`
	if diff := cmp.Diff(want, string(txtar.Format(&txtar.Archive{Files: archive.Files}))); diff != "" || len(omitted) > 0 {
		t.Errorf("left out %v, %s", omitted, diff)
	}
	if comment := string(archive.Comment); !strings.Contains(comment, `changed by: "pong", "deny"`) {
		t.Errorf("the comment is %s", comment)
	}
}

// Entries that a filter leaves out name sessions, too. Their ids may be in texts that are kept.
func TestSessionsOfOmittedEntriesAreRedacted(t *testing.T) {
	const id = "0b1e6c2a-session-of-mine"
	text := `{"kind":"start","schema":1,"run":"r"}
{"kind":"message","seq":1,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"` + id + `"}}}
{"kind":"message","seq":2,"dir":"agent","len":1,"msg":{"jsonrpc":"2.0","method":"_x/note","params":{"text":"see ` + id + `"}}}
`
	var out bytes.Buffer
	if err := Copy(&out, opener(text), Options{Redactor: redactor(t), Keep: func(seq uint64) bool { return seq == 2 }}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "_x/note") || strings.Contains(out.String(), id) {
		t.Errorf("it is\n%s", out.String())
	}
}

// A rule's response can be recorded before the request that it responds to. It still follows it.
func TestAResponseThatWasRecordedBeforeItsRequest(t *testing.T) {
	h, err := history.Read(record.NewReader(strings.NewReader(`{"kind":"start","schema":1,"acpshim":"v"}
{"kind":"message","seq":1,"dir":"agent","stage":"out","by":["pong"],"msg":{"id":5,"result":{}}}
{"kind":"message","seq":2,"dir":"client","stage":"in","by":["pong"],"msg":{"id":5,"method":"_ping"}}
`)))
	if err != nil {
		t.Fatal(err)
	}
	archive, omitted := Txtar(h)
	const want = "-- client --\n{\"id\":5,\"method\":\"_ping\"}\n-- to client --\n{\"id\":5,\"result\":{}}\n"
	if diff := cmp.Diff(want, string(txtar.Format(&txtar.Archive{Files: archive.Files}))); diff != "" || len(omitted) > 0 {
		t.Errorf("left out %v, %s", omitted, diff)
	}
}
