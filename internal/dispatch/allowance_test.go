package dispatch

import (
	"strings"
	"testing"

	"acpshim/internal/wire"
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
