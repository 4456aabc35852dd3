package dispatch

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

// Beyond the limit, messages pass unchanged, and requests that an adapter answers are refused.
func TestTheOutputForALineIsBounded(t *testing.T) {
	large := `{"method":"y","params":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, does := range map[string]func(m *Message){
		"replaces":    func(m *Message) { m.Replace([]byte(large), m.Line) },
		"puts before": func(m *Message) { m.Before([]byte(large + "\n")) },
		"puts after":  func(m *Message) { m.After([]byte(large + "\n")) },
		"answers": func(m *Message) {
			if m.Kind == Request {
				m.Answer(wire.Result(m.ID, []byte(large)))
			}
		},
	} {
		element := `{"method":"m"}`
		if name == "answers" {
			element = `{"id":1,"method":"m"}`
		}
		first := &actor{name: "first", wants: everything(), handles: does}
		second := &actor{name: "second", wants: everything(), handles: does}
		k := converse(t, first, second)
		batch := "[" + strings.Repeat(element+",", 19) + element + "]"
		for range 2 { // the next line has a bound of its own
			k.send(Agent, batch)
			lines := append(k.got[Client], k.got[Agent]...)
			made, passed, refused := 0, 0, 0
			for _, line := range lines {
				made += strings.Count(line, `"method":"y"`)
				passed += strings.Count(line, element)
				refused += strings.Count(line, "the response to this line is too large")
			}
			if made != 16 || name != "answers" && passed != 20 || name == "answers" && refused != 4 {
				t.Errorf("%s: %d messages are made, want 16; %d pass, %d are refused", name, made, passed, refused)
			}
			k.got = map[Side][]string{}
		}
	}
}

func TestUnaskedOutputIsInProportion(t *testing.T) {
	a := &actor{name: "a", wants: everything()}
	k := converse(t, a)
	spent := 0
	spend := func() {
		for a.Affords(Agent, 1<<10) {
			a.Spend(Agent, 1<<10)
			spent += 1 << 10
		}
	}
	if spend(); spent != firstCredit {
		t.Errorf("%d bytes are made at the start", spent)
	}
	line := `{"method":"m","params":"` + strings.Repeat("x", 100<<10) + `"}`
	if k.send(Client, line); a.Affords(Agent, 1<<10) {
		t.Error("what the other side sends counts")
	}
	k.send(Agent, line)
	if most := madeForByte * (len(line) + 1); !a.Affords(Agent, most) || a.Affords(Agent, most+1) {
		t.Errorf("a line of %d bytes does not allow just %d", len(line), most)
	}
}

// What a builder has charged is not counted again when it is written.
func TestBytesAreChargedBeforeTheyAreWritten(t *testing.T) {
	const half = maxMade / 2
	large := []byte(`{"method":"y","params":"` + strings.Repeat("x", half-100) + `"}` + "\n")
	a := &actor{name: "a", wants: everything()}
	made := 0
	a.handles = func(m *Message) {
		for made = 0; made < 3 && a.Charge(Agent, half); made++ {
			m.After(large)
		}
	}
	k := converse(t, a)
	for range 2 { // the next line has an allowance of its own
		k.send(Agent, `{"method":"m"}`)
		if n := len(k.got[Client]); made != 2 || n != 1+2 {
			t.Errorf("%d halves of the limit are charged, and %d lines are sent", made, n)
		}
		k.got = map[Side][]string{}
	}
}

// A Flush has an allowance of its own: as many bytes as the state may have.
func TestTheOutputOfAFlushIsBounded(t *testing.T) {
	f := &flusher{actor: actor{name: "f"}}
	for _, c := range []struct{ charges, writes, sent int }{{0, 20 << 20, 20 << 20}, {0, 65 << 20, 0}, {65 << 20, 100, 0}, {64 << 20, 100, 100}} {
		k := converse(t, f)
		f.flushes = func(m *Message) {
			if f.Charge(Agent, c.charges) {
				m.After(append(bytes.Repeat([]byte{'x'}, c.writes-1), '\n'))
			}
			f.flushes = func(*Message) {}
		}
		if out, _ := k.from[Agent].Flush(nil, false); len(out) != c.sent {
			t.Errorf("of %d bytes, after a charge of %d, %d are sent, want %d", c.writes, c.charges, len(out), c.sent)
		}
	}
}

// A flusher is an actor with a Flush.
type flusher struct {
	actor
	flushes func(m *Message)
}

func (f *flusher) Flush(m *Message, _ bool) { f.flushes(m) }
