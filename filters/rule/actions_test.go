package rule

import (
	"strings"
	"testing"

	"acpshim/internal/chain/wire"

	"github.com/google/go-cmp/cmp"
)

func TestActions(t *testing.T) {
	const note = `{"jsonrpc":"2.0" ,"method":"n","params":{"a":[1.0,2] , "b":{"c":"\ud800"},"dup":{"x":1,"x":2}}}`
	const several = `{"method":"n","params":{"l":[ {"id":"a" , "n":1} ,{"id":"b"}, {"id":"a"}]}}`
	const ask = `{"jsonrpc":"2.0","id":1.0,"method":"q","params":{"a":[]}}`
	change := func(old, new string) string { return strings.Replace(note, old, new, 1) }
	for name, test := range map[string]struct {
		rule   Rule
		line   string
		want   string
		failed string
	}{
		"set":                                  {Rule{Set: []Setting{{"/params/b/c", []byte(`[1 , 2]`)}}}, note, change(`"\ud800"`, `[1,2]`), ""},
		"set in order":                         {Rule{Set: []Setting{{"/params/b", []byte(`{}`)}, {"/params/b/z", []byte("1")}}}, note, change(`{"c":"\ud800"}`, `{"z":1}`), ""},
		"set below nothing":                    {Rule{Set: []Setting{{"/params/z/c", []byte(`1`)}}}, note, note, ""},
		"set in an array":                      {Rule{Set: []Setting{{"/params/a/0", []byte(`3`)}, {"/params/a/-", []byte(`4`)}}}, note, change(`[1.0,2]`, `[3,2,4]`), ""},
		"set in what is twice":                 {Rule{Set: []Setting{{"/params/dup/x", []byte(`1`)}}}, note, note, "set /params/dup/x: ambiguous member names"},
		"set in another case":                  {Rule{Set: []Setting{{"/params/B", []byte(`1`)}}}, note, note, "set /params/B: a member of that name exists"},
		"whole or not at all":                  {Rule{Set: []Setting{{"/params/z", []byte(`1`)}, {"/params/dup/x", []byte(`1`)}}}, note, note, "set /params/dup/x: ambiguous member names"},
		"delete":                               {Rule{Delete: []string{"/params/b", "/params/a/0"}}, note, change(`[1.0,2] , "b":{"c":"\ud800"},`, `[2] , `), ""},
		"delete what is not":                   {Rule{Delete: []string{"/params/x", "/params/a"}}, note, change(`"a":[1.0,2] ,`, ``), ""},
		"rename":                               {Rule{Rename: []Renaming{{"/params/b/c", "d\"\n"}}}, note, change(`"c"`, `"d\"\n"`), ""},
		"rename to what is there":              {Rule{Rename: []Renaming{{"/params/b", "a"}}}, note, note, "rename /params/b: a member of that name exists"},
		"append":                               {Rule{Append: []Setting{{"/params/a", []byte(`null`)}}}, note, change(`[1.0,2]`, `[1.0,2,null]`), ""},
		"set in each":                          {Rule{Set: []Setting{{"/params/l/*/n", []byte(`0`)}}}, several, `{"method":"n","params":{"l":[ {"id":"a" , "n":0} ,{"id":"b","n":0}, {"id":"a","n":0}]}}`, ""},
		"set in the chosen":                    {Rule{Set: []Setting{{"/params/l/[id=a]", []byte(`0`)}}}, several, `{"method":"n","params":{"l":[ 0 ,{"id":"b"}, 0]}}`, ""},
		"append to each":                       {Rule{Append: []Setting{{"/params/l/*/x", []byte(`0`)}}}, `{"method":"n","params":{"l":[{"x":[]},{"x":[ 1 ]},{}]}}`, `{"method":"n","params":{"l":[{"x":[0]},{"x":[ 1,0 ]},{}]}}`, ""},
		"append to each, of which one is none": {Rule{Append: []Setting{{"/params/l/*", []byte(`0`)}}}, several, several, "append /params/l/*: not a JSON array"},
		"rename in the chosen":                 {Rule{Rename: []Renaming{{"/params/l/[id=a]/n", "m"}}}, several, strings.Replace(several, `"n":1`, `"m":1`, 1), ""},
		"delete the chosen":                    {Rule{Delete: []string{"/params/l/[id=a]"}}, several, `{"method":"n","params":{"l":[ {"id":"b"}]}}`, ""},
		"delete all":                           {Rule{Delete: []string{"/params/l/*"}}, several, `{"method":"n","params":{"l":[ ]}}`, ""},
		"delete none":                          {Rule{Delete: []string{"/params/l/[id=c]", "/params/l/*/x", "/params/*"}}, several, several, ""},
		"the chosen, as they are by then":      {Rule{Set: []Setting{{"/params/l/[id=a]/id", []byte(`"c"`)}}, Delete: []string{"/params/l/[id=a]"}}, several, strings.ReplaceAll(several, `"id":"a"`, `"id":"c"`), ""},
		"more than there is room for":          {Rule{Set: []Setting{{"/params/*", []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}}}, `{"method":"n","params":[` + strings.Repeat("1,", 20) + `1]}`, `{"method":"n","params":[` + strings.Repeat("1,", 20) + `1]}`, "set /params/*: rules would add more than 16 MiB to the line"},
		"append to an object":                  {Rule{Append: []Setting{{"/params/b", []byte(`null`)}}}, note, note, "append /params/b: not a JSON array"},
		"all, in their order":                  {Rule{Delete: []string{"/params/y/c"}, Set: []Setting{{"/params/y/d", []byte("1")}}, Rename: []Renaming{{"/params/b", "y"}}}, note, change(`"b":{"c":"\ud800"}`, `"y":{"d":1}`), ""},
		"no message any more":                  {Rule{Delete: []string{"/method"}}, note, note, "not a JSON-RPC message"},
		"a notification no more":               {Rule{Rename: []Renaming{{"/params", "result"}}}, note, note, "not a JSON-RPC message"},
		"an id by a new name":                  {Rule{Rename: []Renaming{{"/x", "id"}}}, `{"method":"n","x":1}`, `{"method":"n","x":1}`, "what the message is"},
		"an answer to itself":                  {Rule{Rename: []Renaming{{"/method", "result"}}}, ask, ask, "what the message is"},
		"another method":                       {Rule{Set: []Setting{{"/method", []byte(`"m"`)}}}, note, change(`"n"`, `"m"`), ""},
		"drop":                                 {Rule{Action: "drop"}, note, "", ""},
		"drop a request":                       {Rule{Action: "drop"}, ask, ask, "only notifications are dropped"},
		"drop an answer":                       {Rule{Action: "drop"}, `{"id":1,"result":{}}`, `{"id":1,"result":{}}`, "only notifications are dropped"},
		"reply to none":                        {Rule{Reply: &Reply{Result: []byte("{}")}}, note, note, "only requests have a reply"},
		"hold a request":                       {Rule{Hold: "response"}, ask, ask, "only notifications are held"},
		"jq":                                   {Rule{JQ: `.params.a += [3] | del(.params.dup)`}, strings.Replace(note, `"x":1,`, ``, 1), `{"jsonrpc":"2.0","method":"n","params":{"a":[1.0,2,3],"b":{"c":"` + "\ufffd" + `"}}}`, ""},
		"jq of what is twice":                  {Rule{JQ: `.`}, note, note, "duplicate"},
		"jq: none":                             {Rule{JQ: `empty`}, `{"method":"n"}`, "", ""},
		"jq: several":                          {Rule{JQ: `.,.`}, `{"method":"n"}`, `{"method":"n"} | {"method":"n"}`, ""},
		"jq: halt":                             {Rule{JQ: `., halt, .`}, `{"method":"n"}`, `{"method":"n"}`, ""},
		"jq: numbers":                          {Rule{JQ: `.params |= map(.)`}, `{"method":"n","params":[1.0,1E400,-0,12345678901234567890123,0.1e-7]}`, `{"method":"n","params":[1.0,1E400,-0,12345678901234567890123,0.1e-7]}`, ""},
		"jq: a request is lost":                {Rule{JQ: `empty`}, ask, ask, "loses or changes"},
		"jq: a request twice":                  {Rule{JQ: `.,.`}, ask, ask, "loses or changes"},
		"jq: another id":                       {Rule{JQ: `.id = 2`}, ask, ask, "loses or changes"},
		"jq: a new request":                    {Rule{JQ: `., {id:9,method:"q"}`}, `{"method":"n"}`, `{"method":"n"}`, "loses or changes"},
		"jq: something before":                 {Rule{JQ: `{jsonrpc,method:"n"}, .`}, ask, `{"jsonrpc":"2.0","method":"n"} | {"id":1.0,"jsonrpc":"2.0","method":"q","params":{"a":[]}}`, ""},
		"jq: no version":                       {Rule{JQ: `del(.jsonrpc)`}, ask, ask, "jsonrpc"},
		"jq: params that are none":             {Rule{JQ: `.params = "s"`}, ask, ask, "params"},
		"set params that are none":             {Rule{Set: []Setting{{"/params", []byte(`1`)}}}, note, note, "params"},
		"an error that is none":                {Rule{Set: []Setting{{"/error", []byte(`"x"`)}}, Delete: []string{"/result"}}, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "error"},
		"a result that is no error":            {Rule{Rename: []Renaming{{"/result", "error"}}}, `{"jsonrpc":"2.0","id":1,"result":{"code":"1","message":""}}`, `{"jsonrpc":"2.0","id":1,"result":{"code":"1","message":""}}`, "error"},
		"a result that is an error":            {Rule{Rename: []Renaming{{"/result", "error"}}}, `{"jsonrpc":"2.0","id":1,"result":{"code":-1,"message":""}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}`, ""},
		"an error that is none, by key":        {Rule{Delete: []string{"/error/message"}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}`, "error"},
		"an error that never was one":          {Rule{Delete: []string{"/error/message"}}, `{"jsonrpc":"2.0","id":1,"error":{"message":""}}`, `{"jsonrpc":"2.0","id":1,"error":{}}`, ""},
		"jq: no object":                        {Rule{JQ: `1`}, ask, ask, "not a JSON object"},
		"jq: no message":                       {Rule{JQ: `{}`}, `{"method":"n"}`, `{"method":"n"}`, "not a JSON-RPC message"},
		"jq: an error":                         {Rule{JQ: `error("x")`}, ask, ask, "jq: error: x"},
		"jq: for ever":                         {Rule{JQ: `def f: f; f`}, ask, ask, "longer than 100ms"},
		"jq: too much":                         {Rule{JQ: `. as $m | range(100) | $m + {params:("x"*1000000)}`}, `{"method":"n"}`, `{"method":"n"}`, "a line"}, // of time, on a slow machine,
		"jq: a value that holds itself":        {Rule{JQ: `.params = reduce range(60) as $i (0; [.,.])`}, `{"method":"n"}`, `{"method":"n"}`, "a line"},
		"jq: too deep":                         {Rule{JQ: `.params = reduce range(20000) as $i (0; [.])`}, `{"method":"n"}`, `{"method":"n"}`, "a line"},
		"jq: a large message":                  {Rule{JQ: `.`}, `{"method":"` + strings.Repeat("n", 4<<20) + `"}`, `{"method":"` + strings.Repeat("n", 4<<20) + `"}`, "the message is larger than 4 MiB"},
		"jq: too many":                         {Rule{JQ: `range(5000) | {method:"n"}`}, `{"method":"n"}`, `{"method":"n"}`, "a line"},
	} {
		test.rule.Name = "r"
		c := converse(t, test.rule, Rule{Name: "next", Log: true})
		for range 2 { // it is told once
			if got := c.from(Agent, test.line); got != test.want {
				t.Errorf("%s: %s\n got %.300s\nwant %s", name, test.line, got, test.want)
			}
		}
		var failures []string
		for _, e := range c.events {
			if text, ok := strings.CutPrefix(e, "r failed: "); ok {
				failures = append(failures, text)
			}
		}
		if (test.failed == "") != (len(failures) == 0) || len(failures) > 1 || len(failures) == 1 && !strings.Contains(failures[0], test.failed) {
			t.Errorf("%s: failures %q, want one with %q", name, failures, test.failed)
		}
		if lines := strings.Count(test.want, " | ") + 1; test.want != "" && int(c.chain.Hits()[1].Count) != 2*lines {
			t.Errorf("%s: the next rule saw %d messages", name, c.chain.Hits()[1].Count)
		}
	}
}

// A carriage return stays. A last line without an end gets one only if another line follows.
func TestLineEnds(t *testing.T) {
	for _, test := range []struct {
		rule       Rule
		line, want string
	}{
		{Rule{Set: []Setting{{"/x", []byte("1")}}}, "{\"method\":\"n\"} \r\n", "{\"method\":\"n\",\"x\":1} \r\n"},
		{Rule{Set: []Setting{{"/x", []byte("1")}}}, "\xef\xbb\xbf{\"method\":\"n\"}", "\xef\xbb\xbf{\"method\":\"n\",\"x\":1}"},
		{Rule{JQ: ".,."}, "{\"method\":\"n\"}\r\n", "{\"method\":\"n\"}\r\n{\"method\":\"n\"}\r\n"},
		{Rule{JQ: ".,."}, "{\"method\":\"n\"}", "{\"method\":\"n\"}\n{\"method\":\"n\"}"},
		{Rule{JQ: ".,."}, "[{\"method\":\"n\"} , 3]\r\n", "[{\"method\":\"n\"},{\"method\":\"n\"} , 3]\r\n"},
		{Rule{JQ: "empty"}, "[3, {\"method\":\"n\"}]", "[3]"},
		{Rule{Action: "drop"}, "{\"method\":\"n\"}", ""},
	} {
		test.rule.Name = "r"
		c := converse(t, test.rule)
		if got := string(through(c.ends[Agent], []byte("before\n"), []byte(test.line))); got != "before\n"+test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}

// Each rule sees the result of the one before.
func TestOrder(t *testing.T) {
	c := converse(t,
		Rule{Name: "a", Method: "a", Set: []Setting{{"/method", []byte(`"b"`)}}},
		Rule{Name: "b", Method: "b", JQ: `.method = "c" | ., .method = "d"`},
		Rule{Name: "c", Method: "c", Log: true},
		Rule{Name: "d", Method: "d", Action: "drop"},
		Rule{Name: "a again", Method: "a", Action: "drop"},
		Rule{Name: "old", Update: "old", Set: []Setting{{"/params/update/sessionUpdate", []byte(`"plan"`)}}},
		Rule{Name: "old again", Update: "old", Action: "drop"},
		Rule{Name: "plan", Update: "plan", Set: []Setting{{"/params/sessionId", []byte(`"t"`)}}},
		Rule{Name: "s again", Session: "s", Action: "drop"},
		Rule{Name: "t", Session: "t", Log: true},
	)
	c.play(step{Agent, `{"method":"a"}`, `{"method":"c"}`}, step{Agent, `{"method":"c"}`, `{"method":"c"}`}, step{Agent, update("s", "old"), update("t", "plan")})
	c.told("c: agent: {\"method\":\"c\"}\n", "c: agent: {\"method\":\"c\"}\n", "t: agent: "+update("t", "plan")+"\n")
}

// Records name the rule that changed a line, and what it did.
func TestRecordsNameRules(t *testing.T) {
	c := converse(t,
		Rule{Name: "changes", Method: "c", Set: []Setting{{"/x", []byte("1")}}},
		Rule{Name: "drops", Method: "d", Action: "drop"},
		Rule{Name: "replies", Method: "r", Reply: &Reply{Result: []byte("1")}},
		Rule{Name: "doubles", Method: "t", JQ: ".,."},
		Rule{Name: "looks", Log: true},
	)
	for line, want := range map[string][]wire.Cause{
		`{"method":"c"}`:        {{Name: "changes", Why: whyChanged}},
		`{"method":"c","x":1}`:  nil,
		`{"method":"d"}`:        {{Name: "drops", Why: whyDropped}},
		`{"id":1,"method":"r"}`: {{Name: "replies", Why: whyAnswered}},
		`{"method":"t"}`:        {{Name: "doubles", Why: whyChanged}},
		`{"method":"n"}`:        nil,
	} {
		_, by := wire.Apply(c.ends[Agent], nil, []byte(line))
		if diff := cmp.Diff(want, by.By); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

// A request with a reply is not pending.
func TestReply(t *testing.T) {
	c := converse(t, Rule{Name: "r", From: Client, Method: "session/new", Reply: &Reply{Result: []byte("{}")}},
		Rule{Name: "h", From: Agent, Method: "session/update", Hold: "response"})
	c.play(step{Client, `{"id":1,"method":"session/new"}`, ""}, step{Agent, chunk("s", "x"), "="})
	c.told()
}
