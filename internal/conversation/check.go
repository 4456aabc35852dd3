package conversation

import "fmt"

// Recount counts anew what Size has counted, without what adapters keep: it is for tests. The lock
// is held.
func (c *Conversation) Recount() (size int) {
	for _, s := range c.sessions.Values() {
		size += sessionSize(s)
	}
	for _, pending := range c.pending {
		for _, r := range pending.Values() {
			size += r.size()
		}
	}
	return size
}

// Check returns what is wrong with the counts of requests: it is for tests. The lock is held.
func (c *Conversation) Check() error {
	creating, all := 0, 0
	opening, prompts, running := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range c.pending[0].Values() {
		all++
		switch {
		case r.Creates():
			creating++
		case r.Opens():
			opening[r.Session]++
		case r.Prompts():
			prompts[r.Session]++
			if !r.IsCancelled {
				running[r.Session]++
			}
		}
	}
	waiting, _ := c.Waiting(Client)
	if got, want := fmt.Sprint(waiting, c.creating, c.opening, c.prompts, c.running), fmt.Sprint(all, creating, opening, prompts, running); got != want {
		return fmt.Errorf("counted are %s, there are %s", got, want)
	}
	return nil
}
