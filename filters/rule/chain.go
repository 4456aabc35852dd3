package rule

import (
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Place says on which side of another interceptor the rules stand.
type Place int

const (
	// BesideClient: rules see what the client sends and what it would get. A
	// line of the client meets the rules first, a line of the agent last.
	BesideClient Place = iota
	// BesideAgent: rules see what the agent sends and what it would get.
	BesideAgent
)

// Options of a Chain. The zero value tells nobody anything, and sends no
// replies: requests that have one pass.
type Options struct {
	Place Place

	// ClientName and AgentName are what the two are called until they name
	// themselves; either may be empty.
	ClientName, AgentName string

	// Reply takes a rule's answer, one line with its end, for the side that asked,
	// and reports whether it will be sent; if not the request passes. It must
	// return within a bounded time: the direction from that side waits for it,
	// and so asks no faster than answers are taken. The answer meets no
	// rule, and belongs behind all that changes lines: beside the agent, plan
	// translation does not learn that a request of the client was answered.
	Reply func(rule string, to Side, line []byte) bool

	// Switches says by name which rules are on, true, and off, false, for two
	// peers; the others are as they were compiled. A peer that is not known yet
	// is the zero Peer. It is called at the start and whenever initialize tells
	// more of the peers, must not block, and must not call the Chain.
	Switches func(client, agent Peer) map[string]bool

	Events Events
}

// Events are told what a person who debugs wants to know; each may be nil.
// They are called from the goroutine of either direction, must not block and
// must not keep the bytes.
type Events struct {
	Logged func(rule string, from Side, message []byte) // the log of a rule
	Failed func(rule string, err error)                 // a rule was not carried out; told once a rule
	Unread func(err error)                              // a line that was held is no clear message, and no rule was applied
	Other  func(rule string, version int)               // a rule is for another version of the protocol than was negotiated
	Let    func(messages int)                           // too many were held, these were let go before their answer
	Step   func(Step)                                   // each rule and message, for an explanation: all lines are then held
}

// A Chain is the rules of one connection, and what they know of it. Its two
// ends are each for one goroutine; the two may run at the same time.
type Chain struct {
	set  *Set
	opts Options
	hits []atomic.Int64

	// chosen are the rules that can apply while the facts are what they are,
	// kept beside the state so that a line that concerns nobody takes no lock.
	chosen map[Side]*atomic.Pointer[selection]

	mu      sync.Mutex // protects the fields below
	facts   Facts
	on      []bool                                // of each rule
	pending map[Side]*simplelru.LRU[string, call] // requests by the side that asks, and wire.ID
	failed  map[string]bool                       // rules of which it was told
	opening opening
}

// A call is a request that waits for its answer.
type call struct {
	method  string
	session string // params.sessionId, if the answer opens that one
}

// Bounds on the requests that are remembered: how many of a side, and the bytes
// of their method and session. One of longer names answers no rule.
const (
	maxPending = 1 << 13
	maxMethod  = 256
	maxSession = 1 << 10
)

// NewChain returns a Chain for a connection in which nothing has been said.
func (s *Set) NewChain(opts Options) *Chain {
	return s.newChain(opts, Facts{})
}

func (s *Set) newChain(opts Options, facts Facts) *Chain {
	facts.ClientName, facts.AgentName = opts.ClientName, opts.AgentName
	c := &Chain{
		set: s, opts: opts, facts: facts,
		hits:    make([]atomic.Int64, len(s.rules)),
		on:      make([]bool, len(s.rules)),
		chosen:  map[Side]*atomic.Pointer[selection]{Client: {}, Agent: {}},
		pending: map[Side]*simplelru.LRU[string, call]{},
		failed:  map[string]bool{},
		opening: newOpening(),
	}
	for _, side := range []Side{Client, Agent} {
		c.pending[side], _ = simplelru.NewLRU(maxPending, func(_ string, r call) { c.opening.ended(r) })
	}
	c.choose()
	return c
}

// choose settles which rules can apply.
func (c *Chain) choose() {
	var switches map[string]bool
	if c.opts.Switches != nil {
		switches = c.opts.Switches(c.facts.Client.orZero(), c.facts.Agent.orZero())
	}
	for i, r := range c.set.rules {
		on, switched := switches[r.name]
		c.on[i] = switched && on || !switched && !r.off
	}
	for side, chosen := range c.chosen {
		chosen.Store(c.set.selection(side, &c.facts, c.on))
	}
}

// excludes says why no line of that side concerns a rule for now.
func (c *Chain) excludes(r *compiled, side Side) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on[r.index] {
		return "off"
	}
	return r.excludes(side, &c.facts)
}

// A Hit is a rule and how often it matched. Off says that it is off by now.
type Hit struct {
	Rule  string
	Count int64
	Off   bool
}

// Hits returns all rules in their order. It may be called from any goroutine.
func (c *Chain) Hits() []Hit {
	c.mu.Lock()
	defer c.mu.Unlock()
	hits := make([]Hit, len(c.hits))
	for i := range hits {
		hits[i] = Hit{c.set.rules[i].name, c.hits[i].Load(), !c.on[i]}
	}
	return hits
}

// fail tells once that a rule was not carried out.
func (c *Chain) fail(r *compiled, err error) {
	c.mu.Lock()
	told := c.failed[r.name]
	c.failed[r.name] = true
	c.mu.Unlock()
	if !told && c.opts.Events.Failed != nil {
		c.opts.Events.Failed(r.name, err)
	}
}
