package conversation

import (
	"fmt"
	"strings"
	"testing"
)

// What is not known of a call never reads as if the agent had not said it.
func TestCallsThatAreNotKnown(t *testing.T) {
	note := func(t *testing.T, c *Conversation, update string, begins bool) {
		c.NoteCall("s", parse(t, update), begins)
	}
	for _, test := range []struct {
		name     string
		before   func(*testing.T, *Conversation)
		want     string
		isAbsent bool // it is known that the call has no title
	}{
		{name: "never announced", before: func(*testing.T, *Conversation) {}, isAbsent: true},
		{name: "announced", before: func(t *testing.T, c *Conversation) { note(t, c, `{"toolCallId":"c","title":"T"}`, true) }, want: "T"},
		{name: "no change", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			note(t, c, `{"toolCallId":"c","title":null,"kind":"read"}`, false)
		}, want: "T"},
		{name: "another session's is lost", before: func(t *testing.T, c *Conversation) { c.LoseCall("other", "") }, isAbsent: true},
		{name: "lost", before: func(t *testing.T, c *Conversation) { c.LoseCall("s", "c") }},
		{name: "its session's are lost", before: func(t *testing.T, c *Conversation) { c.LoseCall("s", "") }},
		{name: "any may be lost", before: func(t *testing.T, c *Conversation) { c.LoseCall("", "") }},
		{name: "lost, and then known", before: func(t *testing.T, c *Conversation) {
			c.LoseCall("s", "c")
			note(t, c, `{"toolCallId":"c","title":"T"}`, false)
		}, want: "T"},
		{name: "announced again without it", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			note(t, c, `{"toolCallId":"c"}`, true)
		}},
		{name: "ended", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			note(t, c, `{"toolCallId":"c","status":"completed"}`, false)
		}},
		{name: "ended, and asked about again", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T","status":"failed"}`, true)
			c.NoteAsked("s", parse(t, `{"toolCallId":"c","status":"pending"}`))
		}},
		{name: "ended, and updated as a new one", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T","status":"failed"}`, true)
			note(t, c, `{"toolCallId":"c","status":"in_progress"}`, false)
		}},
		{name: "ended, and asked about with it", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"Old","status":"completed"}`, true)
			c.NoteAsked("s", parse(t, `{"toolCallId":"c","title":"T"}`))
		}, want: "T"},
		{name: "cleared", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			c.ForgetCall("s", "c", "title")
		}},
		{name: "another member is cleared", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			c.ForgetCall("s", "c", "rawInput")
		}, want: "T"},
		{name: "too long", before: func(t *testing.T, c *Conversation) {
			note(t, c, fmt.Sprintf(`{"toolCallId":"c","title":%q}`, strings.Repeat("x", maxCallMember)), true)
		}},
		{name: "one of many", before: func(t *testing.T, c *Conversation) {
			for i := range maxCalls + 1 {
				note(t, c, fmt.Sprintf(`{"toolCallId":"%d","title":"T"}`, i), true)
			}
		}},
		{name: "many bytes", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			for i := range 20 {
				note(t, c, fmt.Sprintf(`{"toolCallId":"%d","rawInput":%q}`, i, strings.Repeat("x", maxCallMember-2)), true)
			}
		}},
		{name: "its session was evicted", before: func(t *testing.T, c *Conversation) {
			note(t, c, `{"toolCallId":"c","title":"T"}`, true)
			for i := range MaxSessions {
				c.Session(fmt.Sprint(i))
			}
			c.Session("s")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{})
			test.before(t, c)
			of := c.CallOf("s", parse(t, `{"toolCallId":"c","kind":"edit"}`))
			if title, isKnown := of.Text("title"); title != test.want || isKnown != (test.want != "" || test.isAbsent) {
				t.Errorf("the title is %q, known: %v", title, isKnown)
			}
			if kind, isKnown := of.Text("kind"); kind != "edit" || !isKnown {
				t.Errorf("the kind is %q, known: %v", kind, isKnown)
			}
			if err := c.Check(); err != nil || c.Size() != c.Recount() || c.Size() > 2*maxCallBytes+MaxSessions*2048 {
				t.Errorf("%d bytes are counted, there are %d; %v", c.Size(), c.Recount(), err)
			}
		})
	}
}

// A call that is announced without a kind has the kind other, unless it may have had another one.
func TestKindOfACallThatBegins(t *testing.T) {
	for before, want := range map[string]string{"": "other", "read": "", "other": "other", "lost": ""} {
		c := New(Options{})
		switch before {
		case "":
		case "lost":
			c.LoseCall("s", "")
		default:
			c.NoteCall("s", parse(t, fmt.Sprintf(`{"toolCallId":"c","kind":%q}`, before)), true)
		}
		c.NoteCall("s", parse(t, `{"toolCallId":"c","title":"T"}`), true)
		if kind, isKnown := c.CallOf("s", parse(t, `{"toolCallId":"c"}`)).Text("kind"); kind != want || isKnown != (want != "") {
			t.Errorf("after %q it is %q, known: %v", before, kind, isKnown)
		}
	}
}

// Ids that are not valid Unicode read as one text, so nothing is known of their calls.
func TestCallsWithIDsThatAreNotUnicode(t *testing.T) {
	c := New(Options{})
	c.NoteCall("s", parse(t, `{"toolCallId":"x\ud800","title":"T"}`), true)
	for _, id := range []string{`x\ud800`, `x\ud801`} {
		if title, isKnown := c.CallOf("s", parse(t, `{"toolCallId":"`+id+`"}`)).Text("title"); isKnown {
			t.Errorf("the title of %s is known: %q", id, title)
		}
	}
}

// Too little room for the calls of a session loses them all.
func TestCallsWithoutRoom(t *testing.T) {
	c := New(Options{MaxBytes: 8 << 10})
	c.NoteCall("s", parse(t, fmt.Sprintf(`{"toolCallId":"c","kind":"execute","rawInput":%q}`, strings.Repeat("x", 10<<10))), true)
	if _, isKnown := c.CallOf("s", parse(t, `{"toolCallId":"c"}`)).Raw("locations"); isKnown {
		t.Error("its locations are known")
	}
}

func TestRefusalOf(t *testing.T) {
	for options, want := range map[string]string{
		`[{"optionId":"y","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]`:                `"n"`,
		`[{"optionId":"a","kind":"reject_once"},{"optionId":"b","kind":"reject_once"}]`:               `"a"`,
		`[{"optionId":"n","kind":"reject_always"}]`:                                                   ``,
		`[{"optionId":"x","kind":"reject_once"},{"optionId":"\u0078","kind":"allow_once"}]`:           ``,
		`[{"optionId":"x","optionId":"n","kind":"allow_once"},{"optionId":"n","kind":"reject_once"}]`: ``,
		`[{"optionId":7,"kind":"reject_once"},{"optionId":"n","kind":"reject_once"}]`:                 `"n"`,
		`[{"optionId":"cancel","kind":"reject_once"},{"optionId":"decline","kind":"reject_once"}]`:    `"decline"`,
		`[{"optionId":"decline","kind":"allow_once"},{"optionId":"cancel","kind":"reject_once"}]`:     `"cancel"`,
		`[{"optionId":"decline","kind":"reject_always"},{"optionId":"n","kind":"reject_once"}]`:       `"n"`,
		`[{"optionId":"decline","kind":"allow_once"},{"optionId":"decline","kind":"reject_once"}]`:    ``,
		`7`: ``,
	} {
		if got := string(RefusalOf([]byte(options))); got != want {
			t.Errorf("of %s %s is chosen, want %s", options, got, want)
		}
	}
}
