package repair_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
	"acpshim/internal/dev/growth"
)

// withSettings returns toolCalls with other settings.
func withSettings(on repair.CallSettings) adapterOf {
	return func(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
		return newToolCalls(c, isOn, on)
	}
}

// converse sends lines and returns what the client gets. A line that begins with > is the client's.
func converse(b *dispatchtest.Bench, lines ...string) (got []string) {
	b.Sent()
	for _, line := range lines {
		if sent, ok := strings.CutPrefix(line, ">"); ok {
			b.Says(dispatch.Client, sent)
		} else {
			b.Says(dispatch.Agent, line)
		}
	}
	toClient, _ := b.Sent()
	for _, line := range toClient {
		got = append(got, strings.TrimSuffix(line, "\n"))
	}
	return got
}

// ask returns a permission request about a call of the session s.
func ask(id, call, members string) string {
	return fmt.Sprintf(`{"id":%q,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":%q%s},"options":[]}}`, id, call, members)
}

// A turn of the session s, of which the client gets the second line.
const (
	beginTurn = `>{"id":"t","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`
	endTurn   = `{"id":"t","result":{"stopReason":"end_turn"}}`
)

// A client gets one announcement of a call while it is open. Everything else stays, and so does
// everything if the repair is off.
func TestAnnouncementsOfCalls(t *testing.T) {
	begin := func(members string) string { return call("tool_call", "s", "c", members) }
	update := func(members string) string { return call("tool_call_update", "s", "c", members) }
	const asked = `,"title":"Run make","kind":"execute","status":"pending","rawInput":{"command":"make"},"content":[{"type":"content"}],"locations":[{"path":"/a"}],"_meta":{"k":1},"name":"run"`
	for name, test := range map[string]struct{ sent, got []string }{
		"twice":                          {[]string{begin(`,"title":"a"`), begin(`,"title":"b","kind":"execute"`)}, []string{begin(`,"title":"a"`), update(`,"title":"b","kind":"execute"`)}},
		"three times, then ended":        {[]string{begin(``), begin(``), begin(`,"status":"failed"`), begin(``)}, []string{begin(``), update(``), update(`,"status":"failed"`), begin(``)}},
		"after it ended":                 {[]string{begin(``), update(`,"status":"completed"`), begin(``)}, []string{begin(``), update(`,"status":"completed"`), begin(``)}},
		"ended by its announcement":      {[]string{begin(`,"status":"completed"`), begin(``)}, nil},
		"open again":                     {[]string{begin(``), update(`,"status":"completed"`), update(`,"status":"in_progress"`), begin(``)}, []string{begin(``), update(`,"status":"completed"`), update(`,"status":"in_progress"`), update(``)}},
		"in the next turn":               {[]string{beginTurn, begin(``), endTurn, beginTurn, begin(``), endTurn}, nil},
		"while another prompt waits":     {[]string{beginTurn, `>{"id":"u","method":"session/prompt","params":{"sessionId":"s"}}`, begin(``), endTurn, begin(``)}, []string{begin(``), endTurn, update(``)}},
		"of two sessions":                {[]string{begin(``), call("tool_call", "l", "c", ``)}, nil},
		"of an unknown session":          {[]string{call("tool_call", "x", "c", ``), call("tool_call", "x", "c", ``)}, nil},
		"without an id":                  {[]string{`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}`, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}`}, nil},
		"a late status":                  {[]string{begin(``), update(`,"rawOutput":"` + strings.Repeat("x", wire.HeadSize) + `","status":"completed"`), begin(``)}, nil},
		"a long update without a status": {[]string{begin(``), update(`,"rawOutput":"` + strings.Repeat("x", wire.HeadSize) + `"`), begin(``)}, nil},
		"an early status of a long one":  {[]string{begin(``), update(`,"status":"in_progress","rawOutput":"` + strings.Repeat("x", wire.HeadSize) + `"`), begin(``)}, []string{begin(``), update(`,"status":"in_progress","rawOutput":"` + strings.Repeat("x", wire.HeadSize) + `"`), update(``)}},
		"a question about a known call":  {[]string{begin(``), ask("q", "c", asked), update(`,"status":"completed"`)}, nil},
		"a question first":               {[]string{ask("q", "c", asked), update(`,"status":"completed"`), update(`,"status":"completed"`)}, []string{ask("q", "c", asked), begin(`,"status":"completed","kind":"execute","rawInput":{"command":"make"},"content":[{"type":"content"}],"locations":[{"path":"/a"}],"_meta":{"k":1},"name":"run","title":"Run make"`), update(`,"status":"completed"`)}},
		"own members win":                {[]string{ask("q", "c", asked), update(`,"title":"own","kind":null,"content":[],"rawInput":null,"locations":null`)}, []string{ask("q", "c", asked), begin(`,"title":"own","content":[],"rawInput":{"command":"make"},"kind":"execute","status":"pending","locations":[{"path":"/a"}],"_meta":{"k":1},"name":"run"`)}},
		"two questions":                  {[]string{ask("q", "c", `,"title":"a","kind":"read"`), ask("r", "c", `,"title":"b","kind":null`), update(``)}, []string{ask("q", "c", `,"title":"a","kind":"read"`), ask("r", "c", `,"title":"b","kind":null`), begin(`,"kind":"read","title":"b"`)}},
		"a question without a title":     {[]string{ask("q", "c", `,"title":null`), update(`,"kind":"read"`)}, []string{ask("q", "c", `,"title":null`), begin(`,"kind":"read","title":"read"`)}},
		"only a kind":                    {[]string{ask("q", "c", `,"kind":"read"`), update(``)}, []string{ask("q", "c", `,"kind":"read"`), begin(`,"kind":"read","title":"read"`)}},
		"a question, then announced":     {[]string{ask("q", "c", asked), begin(`,"title":"own"`), update(`,"status":"completed"`)}, nil},
		"announced after its update":     {[]string{ask("q", "c", `,"title":"a"`), update(``), begin(`,"title":"own"`), begin(``)}, []string{ask("q", "c", `,"title":"a"`), begin(`,"title":"a"`), update(`,"title":"own"`), update(``)}},
		"in a batch":                     {[]string{"[" + ask("q", "c", `,"title":"a"`) + "," + update(``) + "," + update(``) + "]"}, []string{"[" + ask("q", "c", `,"title":"a"`) + "," + begin(`,"title":"a"`) + "," + update(``) + "]"}},
		"a question of the loaded session": {[]string{ask("q", "c", `,"title":"a"`), `>{"id":"again","method":"session/load","params":{"sessionId":"s"}}`, update(`,"kind":"read"`), `{"id":"again","result":{}}`},
			[]string{ask("q", "c", `,"title":"a"`), begin(`,"kind":"read","title":"read"`), `{"id":"again","result":{}}`}},
	} {
		b := newSession(toolCalls, true)
		if test.got == nil {
			test.got = slices.DeleteFunc(slices.Clone(test.sent), func(line string) bool { return strings.HasPrefix(line, ">") })
		}
		if got := converse(b, test.sent...); !slices.Equal(got, test.got) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(test.got, "\n     "))
		}
		b = newSession(toolCalls, false)
		want := slices.DeleteFunc(slices.Clone(test.sent), func(line string) bool { return strings.HasPrefix(line, ">") })
		if got := converse(b, test.sent...); !slices.Equal(got, want) {
			t.Errorf("%s, off: got %s", name, got)
		}
	}
}

// With repair.asked_calls, the call is announced before the question, and not again.
func TestAskedCallsAreAnnouncedOnce(t *testing.T) {
	b := newSession(withSettings(repair.CallSettings{Announce: true, Asked: true}), true)
	got := converse(b, ask("q", "c", `,"title":"Run"`), call("tool_call_update", "s", "c", ``), call("tool_call", "s", "c", ``), call("tool_call", "s", "c", ``))
	want := []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"toolCallId":"c","title":"Run","sessionUpdate":"tool_call","status":"pending"}}}`,
		ask("q", "c", `,"title":"Run"`), call("tool_call_update", "s", "c", ``), call("tool_call_update", "s", "c", ``), call("tool_call_update", "s", "c", ``),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}

// What questions say of calls that are not announced is bounded, and counts in the limit. Long
// calls keep their title.
func TestAskedCallsAreBounded(t *testing.T) {
	c := conversation.New(conversation.Options{})
	calls := newToolCalls(c, func(_, _ conversation.Implementation) bool { return true }, repair.CallSettings{Announce: true})
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{calls}}).Negotiate(1)
	b.Says(dispatch.Client, `{"id":"l","method":"session/load","params":{"sessionId":"s"}}`)
	b.Says(dispatch.Agent, `{"id":"l","result":{}}`)
	empty := c.Size()
	for i := range 20 {
		b.Says(dispatch.Agent, ask(fmt.Sprint("q", i), fmt.Sprint("c", i), fmt.Sprintf(`,"rawInput":"%s","title":"T%d"`, strings.Repeat("x", 200_000), i)))
		b.Says(dispatch.Client, fmt.Sprintf(`{"id":"q%d","result":{}}`, i))
	}
	if size := c.Size() - empty; size < 800_000 || size > 1_200_000 {
		t.Errorf("%d bytes are kept", size)
	}
	for i := range 20 {
		got := converse(b, call("tool_call_update", "s", fmt.Sprint("c", i), ``))
		if !strings.Contains(got[0], fmt.Sprintf(`"title":"T%d"`, i)) || strings.Contains(got[0], "xxx") != (i < 5) {
			t.Errorf("the %d. becomes %.300s", i, got)
		}
	}
	if size := c.Size() - empty; size > 5_000 {
		t.Errorf("then %d bytes are kept", size)
	}
}

// A call gets a new id if the agent uses the id of a call that has ended, wherever it is named.
func TestNewIDsOfCalls(t *testing.T) {
	begin := func(id, members string) string { return call("tool_call", "s", id, members) }
	update := func(id, members string) string { return call("tool_call_update", "s", id, members) }
	done := `,"status":"completed"`
	form := func(id string) string {
		return `{"id":"e","method":"elicitation/create","params":{"sessionId":"s","toolCallId":"` + id + `","mode":"form"}}`
	}
	for name, test := range map[string]struct{ sent, got []string }{
		"in each turn": {
			[]string{beginTurn, begin("c", ``), update("c", done), endTurn, beginTurn, begin("c", ``), ask("q", "c", ``), update("c", done), endTurn, beginTurn, begin("c", ``), update("c", `,"content":[{"type":"terminal","terminalId":"c"}]`)},
			[]string{begin("c", ``), update("c", done), endTurn, begin("c~2", ``), ask("q", "c~2", ``), update("c~2", done), endTurn, begin("c~3", ``), update("c~3", `,"content":[{"type":"terminal","terminalId":"c"}]`)},
		},
		"in one turn":            {[]string{begin("c", ``), update("c", done), begin("c", ``), update("c", ``), update("d", ``)}, []string{begin("c", ``), update("c", done), begin("c~2", ``), update("c~2", ``), update("d", ``)}},
		"open":                   {[]string{begin("c", ``), begin("c", ``)}, nil},
		"updated when it ended":  {[]string{begin("c", ``), update("c", done), update("c", ``)}, nil},
		"abandoned":              {[]string{beginTurn, begin("c", ``), endTurn, begin("c", ``), update("c", ``)}, []string{begin("c", ``), endTurn, begin("c~2", ``), update("c~2", ``)}},
		"open in the next turn":  {[]string{beginTurn, begin("c", ``), endTurn, ask("q", "c", ``), update("c", ``), beginTurn, ask("r", "c", ``), update("c", done)}, []string{begin("c", ``), endTurn, ask("q", "c", ``), update("c", ``), ask("r", "c", ``), update("c", done)}},
		"ended in the next turn": {[]string{beginTurn, begin("c", ``), endTurn, beginTurn, ask("q", "c", ``), update("c", done), ask("r", "c", ``)}, []string{begin("c", ``), endTurn, ask("q", "c", ``), update("c", done), ask("r", "c~2", ``)}},
		"asked first":            {[]string{begin("c", done), ask("q", "c", ``), begin("c", ``), update("c", ``)}, []string{begin("c", done), ask("q", "c~2", ``), begin("c~2", ``), update("c~2", ``)}},
		"a form":                 {[]string{begin("c", done), begin("c", ``), form("c"), form("d")}, []string{begin("c", done), begin("c~2", ``), form("c~2"), form("d")}},
		"a form before":          {[]string{begin("c", done), form("c")}, nil},
		"the id is taken":        {[]string{begin("c~2", ``), begin("c", done), begin("c", ``)}, []string{begin("c~2", ``), begin("c", done), begin("c~3", ``)}},
		"the agent takes the id": {[]string{begin("c", done), begin("c", ``), begin("c~2", ``)}, []string{begin("c", done), begin("c~2", ``), begin("c~2~2", ``)}},
		"a parent": {
			[]string{begin("c", done), begin("c", ``), begin("d", `,"_meta":{"claudeCode":{"parentToolUseId":"c"}}`), update("d", `,"_meta":{"parentToolCallId":"c","x":"c"}`)},
			[]string{begin("c", done), begin("c~2", ``), begin("d", `,"_meta":{"claudeCode":{"parentToolUseId":"c~2"}}`), update("d", `,"_meta":{"parentToolCallId":"c~2","x":"c"}`)},
		},
		"Cursor's question": {
			[]string{beginTurn, begin("c", done), begin("c", ``), `{"id":"k","method":"cursor/ask_question","params":{"toolCallId":"c"}}`},
			[]string{begin("c", done), begin("c~2", ``), `{"id":"k","method":"cursor/ask_question","params":{"toolCallId":"c~2"}}`},
		},
		"an escape": {[]string{begin("c", done), begin(`c`, ``), strings.Replace(update("c", ``), `"c"`, `"\u0063"`, 1)}, []string{begin("c", done), begin("c~2", ``), update("c~2", ``)}},
		"a late status": {[]string{begin("c", ``), update("c", `,"rawOutput":"`+strings.Repeat("x", wire.HeadSize)+`"`+done), begin("c", ``)},
			[]string{begin("c", ``), update("c", `,"rawOutput":"`+strings.Repeat("x", wire.HeadSize)+`"`+done), begin("c~2", ``)}},
		"loaded": {
			[]string{begin("c", done), begin("c", ``), `>{"id":"again","method":"session/load","params":{"sessionId":"s"}}`, begin("c", done), begin("c", done), `{"id":"again","result":{}}`, update("c", ``)},
			[]string{begin("c", done), begin("c~2", ``), begin("c", done), begin("c~2", done), `{"id":"again","result":{}}`, update("c~2", ``)},
		},
		"of another session": {[]string{begin("c", done), begin("c", ``), call("tool_call", "l", "c", ``)}, []string{begin("c", done), begin("c~2", ``), call("tool_call", "l", "c", ``)}},
	} {
		if test.got == nil {
			test.got = test.sent
		}
		b := newSession(withSettings(repair.CallSettings{NewIDs: true}), true)
		if got := converse(b, test.sent...); !slices.Equal(got, test.got) {
			t.Errorf("%s:\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(test.got, "\n     "))
		}
	}
}

// What acpshim says of a renamed call has the new id, too.
func TestNewIDsOfAskedCalls(t *testing.T) {
	b := newSession(withSettings(repair.CallSettings{Announce: true, Asked: true, NewIDs: true}), true)
	converse(b, beginTurn, call("tool_call", "s", "c", `,"status":"completed"`), endTurn, beginTurn)
	got := converse(b, ask("q", "c", `,"title":"Run"`), `>{"id":"q","result":{"outcome":{"outcome":"cancelled"}}}`, endTurn)
	want := []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"toolCallId":"c~2","title":"Run","sessionUpdate":"tool_call","status":"pending"}}}`,
		ask("q", "c~2", `,"title":"Run"`),
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c~2","status":"failed"}}}`,
		endTurn,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}

// A call that acpshim has announced and ended is not open.
func TestNewIDsOfCallsThatAcpshimHasEnded(t *testing.T) {
	b := newSession(withSettings(repair.CallSettings{Announce: true, Asked: true, NewIDs: true}), true)
	converse(b, beginTurn, ask("q", "c", ``), `>{"id":"q","result":{"outcome":{"outcome":"cancelled"}}}`, endTurn, beginTurn)
	if got := converse(b, ask("q", "c", ``)); len(got) != 2 || got[1] != ask("q", "c~2", ``) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}

func explanations(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewExplanations(c, isOn)
}

// The explanation of a permission request comes after the content that the call has. If that is not
// known, or the explanation is not text, the request stays as it is.
func TestExplanationsOfPermissions(t *testing.T) {
	asks := func(members, meta string) string {
		return `{"id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"` + members + `},"options":[],"_meta":` + meta + `}}`
	}
	text := func(text string) string { return `{"type":"content","content":{"type":"text","text":"` + text + `"}}` }
	const meta, diff = `{"permission":{"title":"Go?","description":"Why"}}`, `{"type":"diff","path":"/a","newText":"x"}`
	shows := func(content string) string { return call("tool_call_update", "s", "c", `,"content":`+content) }
	for name, test := range map[string]struct {
		before           []string
		members, meta    string
		content, instead string // instead: what the content is in the request
	}{
		"new":                     {nil, ``, meta, text(`Go?\n\nWhy`), ``},
		"a title":                 {nil, ``, `{"permission":{"title":"\"a\"\n","x":1},"y":2}`, text(`\"a\"\n`), ``},
		"a description":           {nil, `,"content":null`, `{"permission":{"description":"Why","title":null}}`, text(`Why`), `null`},
		"with content":            {nil, `,"content":[` + diff + `]`, meta, diff + `,` + text(`Go?\n\nWhy`), `[` + diff + `]`},
		"the title is the call's": {nil, `,"title":"Go?"`, meta, text(`Why`), ``},
		"both are shown":          {nil, `,"title":"Go?","content":[` + text(`Why so`) + `]`, meta, ``, ``},
		"twice the same":          {nil, ``, `{"permission":{"title":"Go?","description":"Go?"}}`, text(`Go?`), ``},
		"known content":           {[]string{shows(`[` + diff + `]`), call("tool_call_update", "s", "c", `,"title":"b"`)}, ``, meta, diff + `,` + text(`Go?\n\nWhy`), ``},
		"content of another":      {[]string{call("tool_call", "s", "d", `,"content":[`+diff+`]`)}, ``, meta, text(`Go?\n\nWhy`), ``},
		"content that is gone":    {[]string{shows(`[` + diff + `]`), shows(`[]`)}, ``, meta, text(`Go?\n\nWhy`), ``},
		"begun again":             {[]string{shows(`[` + diff + `]`), call("tool_call", "s", "c", ``)}, ``, meta, text(`Go?\n\nWhy`), ``},
		"content that is long":    {[]string{shows(`["` + strings.Repeat("x", 1<<20) + `"]`)}, ``, meta, ``, ``},
		"malformed content":       {nil, `,"content":{}`, meta, ``, ``},
		"not text":                {nil, ``, `{"permission":{"title":7,"description":" "}}`, ``, ``},
		"no explanation":          {nil, ``, `{"permission":"Go?"}`, ``, ``},
		"null":                    {nil, ``, `null`, ``, ``},
	} {
		b := newSession(explanations, true)
		converse(b, test.before...)
		sent := asks(test.members, test.meta)
		want := sent
		switch {
		case test.content == "":
		case test.instead != "":
			want = strings.Replace(sent, `"content":`+test.instead, `"content":[`+test.content+`]`, 1)
		default:
			want = asks(test.members+`,"content":[`+test.content+`]`, test.meta)
		}
		if got := converse(b, sent); !slices.Equal(got, []string{want}) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		if got := converse(newSession(explanations, false), sent); !slices.Equal(got, []string{sent}) {
			t.Errorf("%s, off: %s", name, got)
		}
	}
}

// Many open calls with content take a time that is proportional to their number.
func TestExplanationsOfManyOpenCalls(t *testing.T) {
	growth.Linear(t, "open calls", 1000, func(size int) func() {
		return func() {
			b := newSession(explanations, true)
			for i := range size {
				b.Says(dispatch.Agent, call("tool_call", "s", strconv.Itoa(i), `,"content":[{"type":"diff","path":"/a","newText":"x"}]`))
			}
		}
	})
}
