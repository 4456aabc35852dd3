package dispatch

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

var theID = regexp.MustCompile(`"id":(\d+)`)

// A game is a talk in which bytes decide what happens next. Two peers send requests, respond and
// cancel, and two adapters hold, respond and continue.
type game struct {
	*talk
	bytes    []byte
	adapters []*actor
	held     []*Held
	last     int               // the id of the last request: ids are not used again
	asked    map[Side][]string // the ids of all requests
	owed     map[Side][]string // the ids of requests that a side got and has no responses to
	answers  map[string]int    // how many responses there were, by the id
	history  []string
	ended    bool // adapters leave all messages
}

func (g *game) next(n int) int {
	if len(g.bytes) == 0 {
		g.ended = true
		return 0
	}
	b := int(g.bytes[0])
	g.bytes = g.bytes[1:]
	return b % n
}

func (g *game) side() Side { return []Side{Client, Agent}[g.next(2)] }

func (g *game) handle(m *Message) {
	if g.ended || m.Kind != Request && m.Kind != Response || m.Method == acp.Initialize {
		return
	}
	switch g.next(6) {
	case 0, 1:
		if h := m.Hold(Unlimited); h != nil {
			g.held = append(g.held, h)
		}
	case 2:
		if m.Kind == Request {
			m.Answer(fmt.Appendf(nil, `{"id":%s,"result":"an adapter's"}`, m.ID))
		}
	case 3:
		m.Edit() // nothing
		m.Because(wire.Reason{Text: "it was looked at"})
	}
}

// read notes the lines that the peers got.
func (g *game) read() {
	for side, lines := range g.got {
		for _, line := range lines {
			for _, id := range theID.FindAllStringSubmatch(line, -1) {
				if strings.Contains(line, `"method"`) {
					g.owed[side] = append(g.owed[side], id[1])
				} else {
					g.answers[id[1]]++
				}
			}
			g.history = append(g.history, fmt.Sprintf("%s <- %.90s", side, line))
		}
	}
	g.got = map[Side][]string{}
}

func (g *game) tell(from Side, line string) {
	g.history = append(g.history, fmt.Sprintf("%s -> %.90s", from, line))
	g.say(from, line)
	g.read()
}

// respond has a side respond to a request that it got.
func (g *game) respond(side Side, how int) {
	if len(g.owed[side]) == 0 {
		return
	}
	id := g.owed[side][0]
	g.owed[side] = g.owed[side][1:]
	g.tell(side, fmt.Sprintf([]string{
		`{"id":%s,"result":{"sessionId":"s"}}`, `{"result":{},"id":%s}`, `[{"id":%s,"result":{}}]`, `{"id":%s,"result":{},"result":{}}`, `{"id":%s}`,
		`{"id":%s,"error":{"code":-32000,"message":""}}`, `{"id":%s,"result":"` + strings.Repeat("r", 9000) + `"}`,
	}[how], id))
}

func (g *game) move() {
	switch side := g.side(); g.next(9) {
	case 0, 1:
		g.last++
		id := fmt.Sprint(g.last)
		g.asked[side] = append(g.asked[side], id)
		method := []string{"x", "m", "session/prompt", "session/new", "session/close"}[g.next(5)]
		line := fmt.Sprintf(`{"id":%s,"method":%q,"params":{"sessionId":"s","p":%q}}`, id, method, strings.Repeat("p", 3000*g.next(4)))
		if g.next(4) == 0 {
			line = "[" + line + "]"
		}
		g.tell(side, line)
	case 2, 3:
		g.respond(side, g.next(7))
	case 4:
		if n := len(g.asked[side]); n > 0 {
			g.tell(side, fmt.Sprintf(`{"method":"$/cancel_request","params":{"requestId":%s}}`, g.asked[side][g.next(n)]))
		}
	case 5:
		g.tell(Client, `{"method":"session/cancel","params":{"sessionId":"s"}}`)
	case 6:
		if len(g.held) > 0 {
			i := g.next(len(g.held))
			h := g.held[i]
			how := g.next(4)
			g.history = append(g.history, fmt.Sprintf("held %s: %d", h.id, how))
			switch how {
			case 0, 1:
				h.Continue(nil)
			case 2:
				h.Answer(fmt.Appendf(nil, `{"id":%s,"result":"of a held one"}`, h.id))
			case 3:
				if strings.Contains(string(h.line), "-32000") { // the peer has refused it
					h.Again(fmt.Appendf(nil, `{"id":%s,"method":"x"}`, h.id))
				}
			}
		}
	case 7:
		// It responds to a request that the other side got.
		if owed := g.owed[side.Other()]; len(owed) > 0 {
			id := owed[g.next(len(owed))]
			if r := g.conversation.Pending(side, []byte(id)); r != nil {
				a := g.adapters[g.next(2)]
				g.history = append(g.history, "responds to "+id)
				a.Respond(r, fmt.Appendf(nil, `{"id":%s,"result":"an adapter's"}`, id), wire.Reason{})
			}
		}
	case 8:
		g.drain()
		g.read()
	}
}

// end continues all held messages, and lets the peers respond, until nothing is left.
func (g *game) end() {
	g.ended = true
	for range 10 * (g.last + 1) {
		for _, h := range g.held {
			h.Continue(nil)
		}
		g.drain()
		g.read()
		for _, side := range []Side{Client, Agent} {
			g.respond(side, 0)
		}
	}
}

// FuzzHolds: for any peers and adapters, each request has one response, and nothing is held at the
// end.
func FuzzHolds(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(randomBytes(seed))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if len(bytes) <= 4000 {
			playHolds(t, bytes)
		}
	})
}

func randomBytes(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	bytes := make([]byte, 50+random.IntN(600))
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	return bytes
}

func playHolds(t *testing.T, bytes []byte) {
	g := &game{bytes: bytes, asked: map[Side][]string{}, owed: map[Side][]string{}, answers: map[string]int{}}
	for _, name := range []string{"a", "b"} {
		a := &actor{name: name, wants: everything(), handles: g.handle}
		g.adapters = append(g.adapters, a)
	}
	g.adapters[1].wants[1].Responses = append(g.adapters[1].wants[1].Responses, "session/new")
	bound := []int{0, 30_000}[len(bytes)%2]
	g.talk = converseWith(t, conversation.Options{MaxBytes: bound}, Options{Adapters: []Adapter{g.adapters[0], g.adapters[1]}, Events: Events{
		Panicked: func(reason any, stack []byte) { t.Errorf("%v\n%s", reason, stack) },
	}})
	for !g.ended {
		g.move()
		if size, want := g.conversation.Size(), g.conversation.Recount(); size != want || g.conversation.Check() != nil || size > g.conversation.MaxBytes() {
			t.Errorf("%d bytes are counted, there are %d, at most %d; %v", size, want, g.conversation.MaxBytes(), g.conversation.Check())
		}
		if t.Failed() {
			t.Fatal(strings.Join(g.history, "\n"))
		}
	}
	g.end()
	for side, ids := range g.asked {
		for _, id := range ids {
			if n := g.answers[id]; n != 1 {
				t.Errorf("request %s of the %s has %d responses", id, side, n)
			}
			if g.isPending(side, id) {
				t.Errorf("request %s of the %s is pending", id, side)
			}
		}
	}
	g.checked()
	for _, s := range g.conversation.Sessions() {
		g.conversation.Remove(s)
	}
	if n := g.conversation.Size(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
	if t.Failed() {
		t.Log(strings.Join(g.history, "\n"))
	}
}
