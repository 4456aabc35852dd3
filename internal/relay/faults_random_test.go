package relay_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/relay"
	"acpshim/internal/wire"
	"acpshim/translate/files"
)

var (
	randomRuns = flag.Int("conversations", 50, "how many random conversations are held in each profile")
	randomSeed = flag.Uint64("conversation", 0, "the only seed of a random conversation; 0: all")
)

// A conversation is a chain between two peers that follow the protocol and are otherwise random:
// prompts overlap, requests are cancelled at any time, and responses come in any order.
type conversation struct {
	*chain
	*rand.Rand
	queues bool // the agent is to have one prompt of a session at a time
	marks  bool // a rule marks prompts and permission requests

	last     int
	asked    [2]map[string]string // by the peer: its pending requests, by raw id, with their methods
	has      [2][]pending         // by the peer: the requests that it has to respond to
	answered [2]map[string]int    // by the peer: responses that it got
	wrong    string               // the first violation
	trace    []string
	batch    [2]string // by the peer: what it sends in a batch with its next line
	ending   bool      // no new batches
}

// A pending request, as its receiver got it.
type pending struct{ id, method, session string }

const (
	clientSide = 0
	agentSide  = 1
)

func (c *conversation) violates(format string, args ...any) {
	if c.wrong == "" {
		c.wrong = fmt.Sprintf(format, args...)
	}
}

// say sends a line of a peer, and handles the result.
func (c *conversation) say(side int, line string) {
	c.trace = append(c.trace, [...]string{"client: ", "agent:  "}[side]+line)
	if method := wire.ID([]byte(field(line, "method"))); method != "" && field(line, "id") != "" {
		c.asked[side][field(line, "id")] = method[1:]
	}
	switch {
	case c.batch[side] != "":
		line, c.batch[side] = "["+c.batch[side]+","+line+"]", ""
	case !c.ending && c.IntN(10) == 0:
		c.batch[side] = line
		return
	}
	if side == clientSide {
		c.client(line)
	} else {
		c.agent(line)
	}
	toClient, toAgent := c.got()
	c.takes(clientSide, toClient)
	c.takes(agentSide, toAgent)
}

// takes handles the lines that a peer gets.
func (c *conversation) takes(side int, lines []string) {
	for _, line := range lines {
		if elements, ok := wire.Elements([]byte(line)); ok {
			for _, e := range elements {
				c.takes(side, []string{string(e)})
			}
			continue
		}
		c.trace = append(c.trace, [...]string{"                to client: ", "                to agent:  "}[side]+line)
		id, method, session := field(line, "id"), strings.Trim(field(line, "method"), `"`), field(line, "params", "sessionId")
		switch {
		case method == "" && c.asked[side][id] == "":
			c.violates("a response to %s, which is not pending: %s", id, line)
		case method == "":
			delete(c.asked[side], id)
			c.answered[side][id]++
		case id == "":
		default:
			running := func(p pending) bool { return p.method == "session/prompt" && p.session == session }
			if c.queues && side == agentSide && method == "session/prompt" && slices.ContainsFunc(c.has[side], running) {
				c.violates("the agent gets prompt %s while another one of session %s runs", id, session)
			}
			isMarked, isOwn := strings.Contains(line, "_marked"), strings.HasPrefix(id, `"own-`)
			if c.marks && isMarked == isOwn && (method == "session/prompt" || method == "session/request_permission") {
				c.violates("the rule is for all requests but acpshim's own: %s", line)
			}
			c.has[side] = append(c.has[side], pending{id, method, session})
		}
	}
}

// id returns a unique id.
func (c *conversation) id() string {
	c.last++
	return []string{fmt.Sprint(c.last), fmt.Sprintf(`"id %d"`, c.last)}[c.IntN(2)]
}

func (c *conversation) sessionID() string { return []string{"s1", "s2"}[c.IntN(2)] }

// cancels cancels a request of a peer by its id.
func (c *conversation) cancels(side int) {
	var ids []string
	for id := range c.asked[side] {
		ids = append(ids, id)
	}
	if slices.Sort(ids); len(ids) > 0 {
		c.say(side, cancelRequest(ids[c.IntN(len(ids))]))
	}
}

// responds sends a peer's response to a request. If kindly is set, it refuses nothing.
func (c *conversation) responds(side int, kindly bool) {
	i := c.IntN(len(c.has[side]))
	p := c.has[side][i]
	c.has[side] = slices.Delete(c.has[side], i, i+1)
	results := map[string]string{
		"session/prompt":             `{"stopReason":"end_turn"}`,
		"session/request_permission": `{"outcome":{"outcome":"selected","optionId":"` + []string{"choice-0", "leave", "none", "a"}[c.IntN(4)] + `"}}`,
		"fs/read_text_file":          `{"content":"x"}`,
	}
	switch result := results[p.method]; {
	case !kindly && c.IntN(3) == 0:
		c.say(side, errorOf(p.id, []int{-32000, -32601, -32603, -32800}[c.IntN(4)], "no"))
	case result == "":
		c.say(side, resultOf(p.id, "{}"))
	default:
		c.say(side, resultOf(p.id, result))
	}
}

// step does something at random.
func (c *conversation) step() {
	s := c.sessionID()
	switch c.IntN(14) {
	case 0, 1, 2:
		c.say(clientSide, promptOf(c.id(), s))
	case 3:
		c.say(clientSide, cancelOf(s))
	case 4:
		c.cancels(clientSide)
	case 5:
		c.say(clientSide, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/set_mode","params":{"sessionId":%q,"modeId":"b"}}`, c.id(), s))
	case 6:
		c.say(clientSide, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/set_config_option","params":{"sessionId":%q,"configId":"mode","value":"a"}}`, c.id(), s))
	case 7:
		c.say(agentSide, permissionOf(c.id(), s))
	case 8:
		c.say(agentSide, formOf(c.id(), s, "a", "b"))
	case 9:
		c.cancels(agentSide)
	case 10:
		c.say(agentSide, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"fs/read_text_file","params":{"sessionId":%q,"path":"/w/a"}}`, c.id(), s))
	case 11:
		c.say(agentSide, updateOf(s, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`))
	default:
		side := c.IntN(2)
		if len(c.has[side]) > 0 {
			c.responds(side, false)
		}
	}
}

// A readyDisk reads files at once.
type readyDisk struct{}

func (readyDisk) Start(_ files.Request, done func(string, error)) error {
	done("text", nil)
	return nil
}

// hold holds a random conversation, and returns what was wrong.
func hold(t *testing.T, configuration string, seed uint64) (wrong string, trace []string) {
	c := &conversation{
		chain: newChain(t, configuration, func(o *relay.Options) { o.Disk = readyDisk{} }),
		Rand:  rand.New(rand.NewPCG(seed, 1)), queues: strings.Contains(configuration, "queue"), marks: strings.Contains(configuration, "_marked"),
	}
	for side := range c.asked {
		c.asked[side], c.answered[side] = map[string]string{}, map[string]int{}
	}
	c.client(strings.Replace(initialize, `"clientCapabilities":{}`, `"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}}`, 1))
	c.agent(resultOf(`"i"`, `{"protocolVersion":1}`))
	for _, id := range []string{"s1", "s2"} {
		c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
		c.agent(fmt.Sprintf(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":%q,"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}}`, id))
	}
	c.got()
	for i := 0; i < 60 && c.wrong == ""; i++ {
		c.step()
	}
	c.ending = true
	for side := range c.batch {
		c.say(side, updateOf("s1", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"the end"}}`))
	}
	for i := 0; i < 500 && c.wrong == "" && len(c.has[clientSide])+len(c.has[agentSide]) > 0; i++ {
		for side := range c.has {
			if len(c.has[side]) > 0 {
				c.responds(side, true)
			}
		}
	}
	for side, peer := range []string{"client", "agent"} {
		for id, method := range c.asked[side] {
			c.violates("%s %s of the %s gets no response", method, id, peer)
		}
		for id, n := range c.answered[side] {
			if n != 1 {
				c.violates("%s of the %s gets %d responses", id, peer, n)
			}
		}
	}
	return c.wrong, c.trace
}

// If both peers follow the protocol, each request gets one response, nobody gets a response without
// a request, and an agent with a queue has one prompt of a session at a time.
func TestRandomConversations(t *testing.T) {
	const turns, login = "[turns]\nqueue = 2\n", "[login]\nmethod = 'key'\n"
	const rules = "[[rule]]\nname = 'x'\nmethod = 'session/{prompt,request_permission}'\nset = { '/params/_marked' = true }\n"
	for name, configuration := range map[string]string{
		"default": "", "turns": turns, "login": login, "turns and login": turns + login,
		"files": "[services]\nfs = 'refused'\n", "permissions": "[[permission]]\nname = 'x'\ntitle = '*'\nanswer = 'allow_once'\n",
		"rules beside the client": rules, "rules beside the agent": "[rules]\nplace = 'agent'\n" + rules,
		"turns, and rules beside the agent": turns + "[rules]\nplace = 'agent'\n" + rules,
		"login, and rules beside the agent": login + "[rules]\nplace = 'agent'\n" + rules,
	} {
		t.Run(name, func(t *testing.T) {
			wrongs := 0
			for seed := uint64(1); seed <= uint64(*randomRuns); seed++ {
				if *randomSeed != 0 {
					seed = *randomSeed
				}
				wrong, trace := hold(t, configuration, seed)
				if wrong != "" {
					if wrongs++; wrongs == 1 {
						t.Errorf("seed %d: %s\n%s", seed, wrong, strings.Join(trace[max(0, len(trace)-60):], "\n"))
					}
				}
				if *randomSeed != 0 {
					return
				}
			}
			if wrongs > 0 {
				t.Errorf("%d of %d conversations went wrong", wrongs, *randomRuns)
			}
		})
	}
}
