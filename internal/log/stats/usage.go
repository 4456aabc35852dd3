package stats

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// A Scope says what numbers count.
type Scope string

const (
	OfTurn  Scope = "turn"    // one turn
	Unknown Scope = "unknown" // one turn, or the session so far: nothing says which
)

// Tokens are those that a model read and wrote. A pointer is nil if the agent does not report it.
type Tokens struct {
	Total       int64  `json:"total"`
	Input       *int64 `json:"input"`
	Output      *int64 `json:"output"`
	Thought     *int64 `json:"thought"`
	CachedRead  *int64 `json:"cached_read"`
	CachedWrite *int64 `json:"cached_write"`
	Scope       Scope  `json:"scope"`
	From        string `json:"from"` // the member with the numbers: usage or _meta.quota
}

// A Cost is an amount of a currency, or of another unit such as credits.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// A Context is how many tokens are in the context of the model, and how many it can have.
type Context struct {
	Used int64 `json:"used"`
	Size int64 `json:"size"`
}

// A Usage is what a session used. Tokens is the sum of the turns that report them. It is nil if
// none does, or if it is not known whether the numbers are of single turns. Cost and Context are
// the last that the agent reported of the session; nil if it does not report them.
type Usage struct {
	Session  int      `json:"session"`
	Prompts  int      `json:"prompts"`
	Reported int      `json:"reported"` // prompts with tokens
	Tokens   *Tokens  `json:"tokens"`
	Cost     *Cost    `json:"cost"` // since the session began
	Context  *Context `json:"context"`
}

// IsKnown reports whether the agent reported something.
func (u Usage) IsKnown() bool { return u.Reported > 0 || u.Cost != nil || u.Context != nil }

// A used notes what is reported of a turn: the cost before it, and the latest.
type used struct {
	tokens        *Tokens
	before, after *Cost
}

// usages note what the turns and the sessions of a record used.
type usages struct {
	turns    map[*history.Message]*used // by prompt
	latest   map[string]*used           // by session: the turn that began last
	costs    map[string]*Cost           // by session
	contexts map[string]*Context        // by session
}

func newUsages() usages {
	return usages{
		map[*history.Message]*used{}, map[string]*used{}, map[string]*Cost{}, map[string]*Context{},
	}
}

// add takes in the next message.
func (u *usages) add(m *history.Message) {
	isOfAgent := m.Message.Received() && m.Message.Dir == record.Agent
	latest := u.latest[m.Session]
	switch {
	case m.Kind == history.Request && m.Method == acp.SessionPrompt && m.Sender() == record.Client:
		turn := &used{before: u.costs[m.Session]}
		if latest != nil && latest.after == nil {
			turn.before = nil // the next cost is of both turns
		}
		u.turns[m], u.latest[m.Session] = turn, turn
	case !isOfAgent || m.JSON == nil:
	case m.Kind == history.Response && m.Method == acp.SessionNew:
		u.costs[m.Session] = &Cost{} // in whatever currency
	case m.Kind == history.Response && m.Request != nil && u.turns[m.Request] != nil:
		u.turns[m.Request].tokens = ReadTokens(m)
	case m.Update == acp.StateUpdate && latest != nil && latest.tokens == nil:
		latest.tokens = ReadTokens(m) // a later one may repeat it
	case m.Update == acp.UsageUpdate:
		u.update(m)
	}
}

// update takes in a usage_update. A cost that is left out stays, null removes it.
func (u *usages) update(m *history.Message) {
	msg, err := wire.Parse(m.JSON, "params", "params.update", "params.update.cost")
	if err != nil {
		return
	}
	update := msg.Open("params").Open("update")
	n, isUsed := count(update.Raw("used"))
	size, isSize := count(update.Raw("size"))
	if isUsed && isSize {
		u.contexts[m.Session] = &Context{n, size}
	}
	switch cost := update.Open("cost"); {
	case update.Raw("cost") == nil:
		return
	case cost == nil:
		delete(u.costs, m.Session)
	default:
		c := Cost{}
		if json.Unmarshal(cost.Raw("amount"), &c.Amount) != nil {
			return
		}
		c.Currency, _ = cost.Text("currency")
		u.costs[m.Session] = &c
	}
	if turn := u.latest[m.Session]; turn != nil {
		turn.after = u.costs[m.Session]
	}
}

// cost is the cost of a turn; nil if it is not known.
func (u *used) cost() *Cost {
	if u.before == nil || u.after == nil || u.after.Amount < u.before.Amount {
		return nil
	}
	if u.before.Currency != u.after.Currency && *u.before != (Cost{}) {
		return nil
	}
	const digits = 1e9 // that a difference has
	amount := math.Round((u.after.Amount-u.before.Amount)*digits) / digits
	return &Cost{amount, u.after.Currency}
}

// ReadTokens returns the tokens that a response to a prompt or a state_update reports: in usage, or
// in _meta.quota as Gemini CLI and Codex do. It returns nil if it reports none. Zeros in
// _meta.quota do not count, because commands that need no model report them.
func ReadTokens(m *history.Message) *Tokens {
	msg, err := wire.Parse(m.JSON, "result", "params", "params.update")
	if err != nil {
		return nil
	}
	at, scope := msg.Open("result"), Unknown
	if m.Update != "" {
		at, scope = msg.Open("params").Open("update"), OfTurn // version 2 says so
	}
	if t := tokens(at.Raw("usage")); t != nil {
		t.Scope, t.From = scope, "usage"
		return t
	}
	quota := wire.Pointer{"quota", "token_count"}.Raw(at.Raw("_meta"))
	t := tokens(quota)
	if t == nil || t.Total == 0 {
		return nil
	}
	if t.Scope, t.From = scope, "_meta.quota"; (wire.Pointer{"input_tokens"}).Raw(quota) != nil {
		t.Scope = OfTurn // Gemini CLI
	}
	return t
}

// tokens reads an object with numbers of tokens, by the names of the protocol or of Gemini CLI.
func tokens(raw []byte) *Tokens {
	o, err := wire.Parse(raw)
	if err != nil {
		return nil
	}
	number := func(names ...string) *int64 {
		for _, name := range names {
			if n, ok := count(o.Raw(name)); ok {
				return &n
			}
		}
		return nil
	}
	input, output := number("inputTokens", "input_tokens"), number("outputTokens", "output_tokens")
	total := number("totalTokens", "total_tokens")
	t := &Tokens{Input: input, Output: output}
	switch {
	case total != nil:
		t.Total = *total
	case input == nil || output == nil:
		return nil
	default:
		t.Total = *input + *output
	}
	t.Thought = number("thoughtTokens", "reasoningOutputTokens")
	t.CachedRead = number("cachedReadTokens", "cachedInputTokens")
	t.CachedWrite = number("cachedWriteTokens", "cacheWriteInputTokens")
	return t
}

// count reads a number of tokens.
func count(raw []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil && 0 <= n && n <= 1<<52
}

// of returns what the sessions of prompts used, by the order in which the sessions came first. The
// prompts are those of the messages.
func (u *usages) of(prompts []Prompt, messages []*history.Message) []Usage {
	var rows Rows[Usage]
	var turns Rows[[]*Tokens]
	for i, p := range prompts {
		id := messages[i].Session
		row := rows.Of(Usage{Session: p.Session, Context: u.contexts[id]}, id)
		if c := u.costs[id]; c != nil && *c != (Cost{}) {
			row.Cost = c
		}
		of := turns.Of(nil, id)
		if row.Prompts++; p.Tokens != nil {
			row.Reported++
			*of = append(*of, p.Tokens)
		}
	}
	all := rows.All()
	for i, of := range turns.All() {
		all[i].Tokens = sum(of)
	}
	return all
}

// sum returns the tokens of a session, given those of its turns in order; nil if it is not known
// whether they are of single turns. If the numbers fall they are, and then sum sets their scope.
func sum(turns []*Tokens) *Tokens {
	if len(turns) == 0 {
		return nil
	}
	byTotal := func(a, b *Tokens) int { return cmp.Compare(a.Total, b.Total) }
	isOfTurn := !slices.IsSortedFunc(turns, byTotal)
	var s Tokens
	for _, t := range turns {
		if isOfTurn {
			t.Scope = OfTurn
		}
		s.Total += t.Total
		s.Input, s.Output, s.Thought = plus(s.Input, t.Input), plus(s.Output, t.Output), plus(s.Thought, t.Thought)
		s.CachedRead, s.CachedWrite = plus(s.CachedRead, t.CachedRead), plus(s.CachedWrite, t.CachedWrite)
		s.Scope, s.From = t.Scope, t.From
	}
	if s.Scope == Unknown && len(turns) > 1 {
		return nil
	}
	return &s
}

func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	n := *a + *b
	return &n
}
