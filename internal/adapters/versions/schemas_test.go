package versions

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/log/validate/schema"
)

// TestSchemas lets a client of one version and an agent of the other send random messages that
// their schemas allow. Whatever a peer gets, the schema of its version has to allow, and each
// request needs exactly one response.
func TestSchemas(t *testing.T) {
	conversations := uint64(100)
	if os.Getenv("ACPSHIM_LONG") != "" {
		conversations = 5000
	}
	for _, client := range []string{"1", "2"} {
		t.Run("client of version "+client, func(t *testing.T) {
			faults := map[string]string{}
			for seed := range conversations {
				synctest.Test(t, func(t *testing.T) { newTalk(t, seed, client, faults).play() })
			}
			for _, fault := range slices.Sorted(maps.Keys(faults)) {
				t.Errorf("%s, such as\n    %s", fault, faults[fault])
			}
		})
	}
}

// A talk is a random conversation.
type talk struct {
	*world
	random *rand.Rand
	seed   uint64
	peers  map[dispatch.Side]*talker
	lines  []string          // all lines
	asked  int               // the id of the last request
	faults map[string]string // an example of each fault
}

// A talker is one of the peers.
type talker struct {
	version   string
	got       *[]string         // all lines that it got
	heard     int               // how many of them it has read
	pending   []parsedLine      // requests that it has to answer
	carried   map[string]string // the requests that it got, by id
	sent      map[string]string // its own requests, by id
	responses map[string]int    // to them
}

func newTalk(t *testing.T, seed uint64, client string, faults map[string]string) *talk {
	w := newWorld(t, 0)
	peer := func(version string, got *[]string) *talker {
		return &talker{version: version, got: got, carried: map[string]string{}, sent: map[string]string{}, responses: map[string]int{}}
	}
	k := &talk{world: w, random: rand.New(rand.NewPCG(seed, 1)), seed: seed, faults: faults}
	k.peers = map[dispatch.Side]*talker{
		dispatch.Client: peer(client, &w.client),
		dispatch.Agent:  peer(otherVersion[client], &w.agent),
	}
	return k
}

var otherVersion = map[string]string{"1": "2", "2": "1"}

// play plays the conversation.
func (k *talk) play() {
	k.handshake()
	for range 60 {
		k.step()
	}
	k.finish()
	for side, p := range k.peers {
		for id, request := range p.sent {
			if n := p.responses[id]; n != 1 {
				k.fault(fmt.Sprintf("a request of the %v has %d responses", side, n), request)
			}
		}
	}
}

func (k *talk) fault(about, example string) {
	if k.faults[about] == "" {
		k.faults[about] = fmt.Sprintf("seed %d: %s", k.seed, example)
	}
}

// says sends a message of a peer.
func (k *talk) says(from dispatch.Side, message map[string]any) {
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	if err != nil {
		k.Fatal(err)
	}
	line, p := string(text), k.peers[from]
	m := read(line)
	if m.Method != "" && m.ID != nil {
		p.sent[string(m.ID)] = line
	}
	k.lines = append(k.lines, fmt.Sprintf("%v: %s", from, line))
	for _, problem := range problems(p.version, from, p.carried[string(m.ID)], line) {
		k.fault("the test sends: "+problem, line)
	}
	k.world.says(from, line)
	k.hear()
}

// hear reads what the peers got.
func (k *talk) hear() {
	for _, side := range []dispatch.Side{dispatch.Client, dispatch.Agent} {
		for p := k.peers[side]; p.heard < len(*p.got); p.heard++ {
			line := (*p.got)[p.heard]
			m := read(line)
			id := string(m.ID)
			k.lines = append(k.lines, fmt.Sprintf("    to %v: %s", side, line))
			switch {
			case m.Method == "":
				p.responses[id]++
			case m.ID != nil:
				p.pending, p.carried[id] = append(p.pending, m), line
			}
			found := problems(p.version, side.Other(), p.sent[id], line)
			if side == dispatch.Client && p.version == "1" {
				found = append(found, unannounced(p.sent["1"], line)...)
			}
			for _, problem := range found {
				k.fault(fmt.Sprintf("to the %v: %s", side, problem), strings.Join(k.lines[max(0, len(k.lines)-2):], "\n    "))
			}
		}
	}
}

// handshake initializes with random capabilities.
func (k *talk) handshake() {
	client, agent := k.peers[dispatch.Client], k.peers[dispatch.Agent]
	params := k.generator(dispatch.Client).named("InitializeRequest").(map[string]any)
	params["protocolVersion"] = json.Number(client.version)
	k.request(dispatch.Client, "initialize", params)
	if agent.version == "2" {
		agent.pending = nil
		k.says(dispatch.Agent, map[string]any{"id": 1, "error": map[string]any{
			"code": -32022, "message": "no", "data": map[string]any{"requested": 1, "supported": []int{2}},
		}})
	}
	for len(agent.pending) > 0 {
		result := k.generator(dispatch.Agent).named("InitializeResponse").(map[string]any)
		result["protocolVersion"] = json.Number(agent.version)
		if agent.version == "2" { // acpshim refuses an agent without sessions
			capabilities, _ := result["capabilities"].(map[string]any)
			if capabilities == nil {
				capabilities = map[string]any{}
			}
			if result["capabilities"] = capabilities; capabilities["session"] == nil {
				capabilities["session"] = map[string]any{}
			}
		}
		k.respond(dispatch.Agent, map[string]any{"result": result})
	}
}

// generator returns a generator of what a peer says. Its ids of requests may be known.
func (k *talk) generator(side dispatch.Side) *generator {
	g := newGenerator(k.random, k.peers[side].version)
	g.pools["RequestId"] = []any{"unknown", k.asked}
	if g.version == "1" {
		g.pools["RequestId"] = append(g.pools["RequestId"], nil)
	}
	return g
}

func (k *talk) request(from dispatch.Side, method string, params any) {
	k.asked++
	k.says(from, map[string]any{"id": k.asked, "method": method, "params": params})
}

// step lets one of the peers say something, or some time pass.
func (k *talk) step() {
	side := pick(k.random, []dispatch.Side{dispatch.Client, dispatch.Agent, dispatch.Agent})
	switch n := k.random.IntN(8); {
	case n < 2:
		k.answer(side)
	case n == 2:
		k.wait(false)
	case n < 6 && side == dispatch.Agent:
		k.update()
	default:
		k.message(side)
	}
}

func (k *talk) wait(end bool) {
	time.Sleep(time.Second)
	synctest.Wait()
	k.settle()
	k.pause(end)
	k.hear()
}

// update lets the agent send an update. Each kind is as likely as the others.
func (k *talk) update() {
	g := k.generator(dispatch.Agent)
	rule := g.schema.Rules["SessionUpdate"]
	update := map[string]any{}
	g.tag(rule, update, k.random.Float64())
	k.says(dispatch.Agent, map[string]any{"method": "session/update", "params": map[string]any{"sessionId": g.named("SessionId"), "update": update}})
}

// message lets a peer send a request or a notification of any method that is for the other one.
func (k *talk) message(from dispatch.Side) {
	g := k.generator(from)
	to := string(from.Other())
	takes := func(m *schema.Method) bool { return m.Request != "" && m.Handler == to }
	hears := func(m *schema.Method) bool {
		return m.Notification != "" && (m.NotificationHandler == to || m.NotificationHandler == "protocol")
	}
	var methods []string
	for _, name := range slices.Sorted(maps.Keys(g.schema.Methods)) {
		if m := g.schema.Methods[name]; name != "initialize" && (takes(m) || hears(m)) {
			methods = append(methods, name)
		}
	}
	name := pick(k.random, methods)
	if m := g.schema.Methods[name]; takes(m) {
		k.request(from, name, g.named(m.Request))
	} else {
		k.says(from, map[string]any{"method": name, "params": g.named(m.Notification)})
	}
}

// answer lets a peer respond to the first request that it has.
func (k *talk) answer(from dispatch.Side) {
	p := k.peers[from]
	if len(p.pending) == 0 {
		return
	}
	g := k.generator(from)
	method := g.schema.Methods[p.pending[0].Method]
	if method == nil || k.random.IntN(8) == 0 {
		k.respond(from, map[string]any{"error": map[string]any{"code": pick(k.random, []int{-32603, -32002, -32800}), "message": "no"}})
	} else {
		k.respond(from, map[string]any{"result": g.named(method.Result)})
	}
}

// respond sends a response to the first request that a peer has.
func (k *talk) respond(from dispatch.Side, with map[string]any) {
	p := k.peers[from]
	with["id"] = p.pending[0].ID
	p.pending = p.pending[1:]
	k.says(from, with)
}

// finish answers all requests and ends all turns.
func (k *talk) finish() {
	for range 200 {
		k.answer(dispatch.Client)
		k.answer(dispatch.Agent)
	}
	if k.peers[dispatch.Agent].version == "2" {
		for _, session := range pools["SessionId"] {
			for _, state := range []string{"running", "idle"} {
				update := map[string]any{"sessionUpdate": "state_update", "state": state}
				k.says(dispatch.Agent, map[string]any{"method": "session/update", "params": map[string]any{"sessionId": session, "update": update}})
			}
		}
	}
	k.wait(true)
}

// TestShowSeed shows a conversation: SEED="44 1" is number 44 of a client of version 1.
func TestShowSeed(t *testing.T) {
	var seed uint64
	var version string
	if _, err := fmt.Sscan(os.Getenv("SEED"), &seed, &version); err != nil {
		t.Skip("SEED names no conversation")
	}
	synctest.Test(t, func(t *testing.T) {
		k := newTalk(t, seed, version, map[string]string{})
		k.play()
		t.Log("\n" + strings.Join(k.lines, "\n"))
	})
}
