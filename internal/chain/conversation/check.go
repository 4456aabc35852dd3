package conversation

import "fmt"

// Recount computes Size again from the state, with the slots of adapters and without what they
// report with Weigh. It is for tests.
func (c *Conversation) Recount() (size int) {
	for _, s := range c.sessions.Values() {
		size += sessionSize(s) + s.values.recount()
	}
	for _, pending := range c.pending {
		for _, r := range pending.Values() {
			size += r.size() - r.values.size + r.values.recount()
		}
	}
	return size
}

// Check returns an error if the counts of requests or the sizes of slots are wrong. It is for
// tests.
func (c *Conversation) Check() error {
	creating, all := 0, 0
	opening, prompts, asked := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range c.sessions.Values() {
		if s.values.size != s.values.recount() || s.Evicted {
			return fmt.Errorf("session %q: the counted size of its slots is %d bytes, but it is %d; evicted: %v", s.ID, s.values.size, s.values.recount(), s.Evicted)
		}
	}
	for _, r := range append(c.pending[1].Values(), c.pending[0].Values()...) {
		if r.values.size != r.values.recount() || !r.isPending() {
			return fmt.Errorf("request %q: the counted size of its slots is %d bytes, but it is %d; pending: %v", r.id, r.values.size, r.values.recount(), r.isPending())
		}
		if r.From == Agent {
			asked[r.Session]++
			continue
		}
		all++
		switch {
		case r.isOpen:
		case r.Creates():
			creating++
		case r.Opens():
			opening[r.Session]++
		case r.IsPrompt():
			prompts[r.Session]++
		}
	}
	waiting, _ := c.Waiting(Client)
	lengths := func(lists map[string][]*Request) map[string]int {
		counted := map[string]int{}
		for id, of := range lists {
			counted[id] = len(of)
		}
		return counted
	}
	if got, want := fmt.Sprint(waiting, c.creating, c.opening, lengths(c.prompts), lengths(c.asked)), fmt.Sprint(all, creating, opening, prompts, asked); got != want {
		return fmt.Errorf("the counts are %s, but should be %s", got, want)
	}
	return nil
}
