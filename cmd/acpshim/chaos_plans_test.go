//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestChaosOfPlans has an agent send plans small and large, many updates in one
// write, between messages of other kinds, while requests for its sessions are
// refused or not, up to an end in the middle of a line. What is no plan has to
// arrive as it is, and the last plan of each session has to be the one that a
// model of its own composes; neither memory nor what comes out may grow out of
// proportion. Seeds and time are those of TestChaos.
func TestChaosOfPlans(t *testing.T) {
	manySeeds(t, *chaosTime/2, func(t *testing.T, seed uint64) {
		c := &planChaos{T: t, Rand: rand.New(rand.NewPCG(seed, 4)), sessions: map[string]*modelSession{}}
		c.run()
	})
}

// A session that is deleted while it is loaded, and shows plans, is gone when the load is refused.
// The plans of the second seed are large, and shown once for all updates that are there.
func TestAPlanThatIsShownDoesNotOpenASession(t *testing.T) {
	for _, seed := range []uint64{1795448087935345419, 1795463855978271257} {
		(&planChaos{T: t, Rand: rand.New(rand.NewPCG(seed, 4)), sessions: map[string]*modelSession{}}).run()
	}
}

// planChaos is one conversation.
type planChaos struct {
	*testing.T
	*rand.Rand

	client, agent strings.Builder // what they send after the handshake
	others        []string        // the lines of the agent that are no plans
	sessions      map[string]*modelSession
	asked         []asked
}

// A modelSession is what an old client is to see of a session: items plans, in the
// order of their first appearance.
type modelSession struct {
	plans, replayed []modelPlan
	loading         bool
	over            bool // it was closed or deleted
	anew            bool // the client has begun anew: an empty plan need not be shown
}

type modelPlan struct {
	id    string
	steps []string
}

// An asked is a request of the client that the agent has not answered.
type asked struct {
	id              int
	method, session string
}

func (c *planChaos) run() {
	opened := ""
	for i := range 2 {
		opened += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"sessionId":"s%d"}}`+"\n", i+1, i)
	}
	for i := range c.IntN(5) {
		a := asked{100 + i, []string{"session/load", "session/close", "session/delete"}[c.IntN(3)], c.pick()}
		s := c.session(a.session)
		if a.method == "session/load" && s.loading {
			continue
		}
		if a.method == "session/load" {
			s.loading = true
		}
		c.asked = append(c.asked, a)
		fmt.Fprintf(&c.client, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"sessionId":%q,"cwd":"/w"}}`+"\n", a.id, a.method, a.session)
	}
	for range 1 + c.IntN(6) {
		c.burst()
	}
	for len(c.asked) > 0 {
		c.answer()
	}
	half := ""
	if c.IntN(3) == 0 {
		half = updateOf("s0", `{"sessionUpdate":"agent_message_chunk","content":"cut off`)
		half = half[:1+c.IntN(len(half)-3)]
	}

	dir := c.TempDir()
	file := filepath.Join(dir, "agent")
	if err := os.WriteFile(file, []byte(c.agent.String()+half), 0o600); err != nil {
		c.Fatal(err)
	}
	s := startShim(c.T, []string{"--log-level", "off"}, "recv", "send:"+strings.TrimSpace(agreed), "recv", "recv", "send:"+strings.TrimSpace(opened), "until:"+strings.TrimSpace(done), "play:1x"+file, "eof")
	s.send(oldHandshake)
	s.read(agreed)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"session/new"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"session/new"}` + "\n")
	s.read(opened)
	s.send(c.client.String() + done)
	s.in.Close()
	out := s.rest()
	s.exits(0)
	usage := s.cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if rss := int(usage.Maxrss) << 10; runtime.GOOS == "linux" && rss > raceTimes(200_000_000) {
		c.Errorf("%d MB of memory were used", rss/1_000_000)
	}
	if most := 8*c.agent.Len() + 64<<20; len(out) > most {
		c.Errorf("%d bytes came out of %d", len(out), c.agent.Len())
	}
	c.check(out, half)
}

func (c *planChaos) pick() string { return fmt.Sprint("s", c.IntN(2)) }

func (c *planChaos) session(id string) *modelSession {
	if c.sessions[id] == nil {
		c.sessions[id] = &modelSession{}
	}
	return c.sessions[id]
}

// burst is what the agent sends of one kind of plan: many small updates behind
// few large ones, or the reverse.
func (c *planChaos) burst() {
	steps, size := 1+c.IntN(5), 1+c.IntN(40)
	if c.IntN(3) == 0 {
		steps, size = 50+c.IntN(50), 500+c.IntN(3000)
	}
	for i := range 1 + c.IntN(30) {
		switch c.IntN(8) {
		case 0:
			c.other(updateOf(c.pick(), fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d %s"}}`, i, strings.Repeat("x", c.IntN(300)))))
		case 1:
			c.other(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":%q}}`+"\n", i, c.pick()))
		case 2:
			if len(c.asked) > 0 {
				c.answer()
			}
		case 3:
			c.remove(c.pick(), fmt.Sprint("p", c.IntN(5)))
		default:
			c.plan(c.pick(), fmt.Sprint("p", c.IntN(5)), steps, size)
			steps = 1 + c.IntN(3) // the others are small
		}
	}
}

func (c *planChaos) other(line string) {
	c.agent.WriteString(line)
	c.others = append(c.others, line)
}

func (c *planChaos) answer() {
	i := c.IntN(len(c.asked))
	a := c.asked[i]
	c.asked = slices.Delete(c.asked, i, i+1)
	refused := c.IntN(2) == 0
	s := c.session(a.session)
	switch {
	case a.method == "session/load":
		switch s.loading = false; {
		case !refused:
			s.plans, s.over, s.anew = s.replayed, false, true
		case s.over:
			*s = modelSession{anew: true}
		}
		s.replayed = nil
	case !refused:
		*s = modelSession{loading: s.loading, over: true, anew: true}
	}
	answer := `"result":{}`
	if refused {
		answer = `"error":{"code":-32603,"message":"no"}`
	}
	c.other(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`+"\n", a.id, answer))
}

func (c *planChaos) plan(session, id string, n, size int) {
	p := modelPlan{id: id}
	var entries []string
	for i := range n {
		step := fmt.Sprintf("%d %d %s", i, c.IntN(1000), strings.Repeat("w", size))
		p.steps = append(p.steps, step)
		entries = append(entries, fmt.Sprintf(`{"content":%q,"priority":"low","status":"pending"}`, step))
	}
	c.agent.WriteString(updateOf(session, planOf(fmt.Sprintf(`{"type":"items","planId":%q,"entries":[%s]}`, id, strings.Join(entries, ",")))))
	c.session(session).change(func(plans []modelPlan) []modelPlan {
		if i := slices.IndexFunc(plans, func(p modelPlan) bool { return p.id == id }); i >= 0 {
			plans[i] = p
			return plans
		}
		return append(plans, p)
	})
}

func (c *planChaos) remove(session, id string) {
	c.agent.WriteString(updateOf(session, fmt.Sprintf(`{"sessionUpdate":"plan_removed","planId":%q}`, id)))
	c.session(session).change(func(plans []modelPlan) []modelPlan {
		return slices.DeleteFunc(plans, func(p modelPlan) bool { return p.id == id })
	})
}

func (s *modelSession) change(do func([]modelPlan) []modelPlan) {
	s.plans = do(slices.Clone(s.plans))
	if s.loading {
		s.replayed = do(slices.Clone(s.replayed))
	}
}

// check compares what came with what was to come.
func (c *planChaos) check(out []byte, half string) {
	last := map[string][]string{}
	var others strings.Builder
	for line := range bytes.Lines(out) {
		var msg struct {
			Params struct {
				SessionID string
				Update    struct {
					SessionUpdate string
					Entries       []struct{ Content string }
				}
			}
		}
		json.Unmarshal(line, &msg)
		if msg.Params.Update.SessionUpdate != "plan" {
			others.Write(line)
			continue
		}
		var steps []string
		for _, e := range msg.Params.Update.Entries {
			steps = append(steps, e.Content)
		}
		last[msg.Params.SessionID] = steps
	}
	if want := strings.Join(c.others, "") + half; others.String() != want {
		c.Errorf("what is no plan did not come as it was: %d bytes, want %d", others.Len(), len(want))
	}
	for id, s := range c.sessions {
		var want []string
		for _, p := range s.plans {
			want = append(want, p.steps...)
		}
		if !(len(want) == 0 && (s.anew || last[id] == nil)) && !slices.Equal(last[id], want) {
			c.Errorf("session %s: the last plan is %.40q, want %.40q", id, last[id], want)
		}
	}
}
