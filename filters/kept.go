package filters

import (
	"acpshim/translate"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// kept is all that is kept of a conversation, with the one count of what it
// takes. What is over the bound is forgotten, beginning with what was used
// longest ago, be it a request or a session.
type kept struct {
	requests *simplelru.LRU[string, keptRequest] // of the client, whose answers matter, by wire.ID
	sessions *simplelru.LRU[string, *session]
	filed    int // sessions that have file plans
	size     int // about how many bytes all takes
	max      int
	clock    int // counts uses

	forgotten string // what was forgotten first, until it is told
	isTold    bool
}

type keptRequest struct {
	request
	used int // the clock when it came
}

// Bounds on single things. They are far from what peers need, and keep one of
// them from taking the room of all.
const (
	maxRequests  = 1 << 13
	maxSessions  = 1 << 10
	maxSessionID = 1 << 10  // bytes; a session with a longer one is not kept
	maxRoots     = 64       // of a session
	maxRoot      = 4 << 10  // bytes; no folder has a longer name
	maxEnvelope  = 64 << 10 // bytes of what stands around an update that waits
)

// newKept returns an empty kept. The functions are told of what is kept no
// longer, for whatever reason.
func newKept(max int, ended func(request), left func(*session)) *kept {
	k := &kept{max: max}
	k.requests, _ = simplelru.NewLRU(maxRequests, func(_ string, r keptRequest) {
		k.size -= r.size()
		ended(r.request)
	})
	k.sessions, _ = simplelru.NewLRU(maxSessions, func(_ string, s *session) {
		k.size -= s.size
		if s.filed {
			k.filed--
		}
		left(s)
		s.left = true
	})
	return k
}

// use returns a session that is kept, as the one used last.
func (k *kept) use(id string) (*session, bool) {
	s, ok := k.sessions.Get(id)
	if ok {
		k.clock++
		s.used = k.clock
	}
	return s, ok
}

func (k *kept) addSession(s *session) {
	if k.sessions.Len() == maxSessions {
		k.forgot("a session")
	}
	k.clock++
	s.used = k.clock
	k.sessions.Add(s.id, s)
	k.weigh(s)
}

func (k *kept) request(id string) (request, bool) {
	r, ok := k.requests.Peek(id)
	return r.request, ok
}

func (k *kept) addRequest(id string, r request) {
	if k.requests.Len() == maxRequests {
		k.forgot("a request")
	}
	k.clock++
	k.requests.Add(id, keptRequest{r, k.clock})
	k.size += r.size()
	k.trim()
}

// weigh counts what a session takes by now, and forgets what is too much. It reports
// whether file plans are forgotten. A session that has left is not counted.
func (k *kept) weigh(s *session) (unfiled bool) {
	if s.left {
		return false
	}
	for _, p := range s.all() {
		for p.board.Size() > k.max/8 && p.board.EvictOldest() {
			k.forgot("a plan")
			unfiled = p.forgetFiles() || unfiled
		}
	}
	k.count(s)
	k.trim()
	return unfiled
}

// count counts what a session takes by now.
func (k *kept) count(s *session) {
	if filed := len(s.now.files) > 0; filed && !s.filed {
		k.filed++
		s.filed = true
	} else if !filed && s.filed {
		k.filed--
		s.filed = false
	}
	k.size -= s.size
	s.size = s.weight()
	k.size += s.size
}

// trim forgets what was used longest ago while all takes too much.
func (k *kept) trim() {
	for k.size > k.max {
		_, r, hasRequest := k.requests.GetOldest()
		_, s, hasSession := k.sessions.GetOldest()
		switch {
		case hasSession && (!hasRequest || s.used < r.used):
			k.forgot("a session")
			k.sessions.RemoveOldest()
		case hasRequest:
			k.forgot("a request")
			k.requests.RemoveOldest()
		default:
			return
		}
	}
}

func (k *kept) forgot(what string) {
	if !k.isTold && k.forgotten == "" {
		k.forgotten = what
	}
}

// tell returns what was forgotten first, once.
func (k *kept) tell() (what string) {
	if what = k.forgotten; what != "" {
		k.isTold, k.forgotten = true, ""
	}
	return what
}

// size is about how many bytes a request takes.
func (r request) size() int {
	size := 512 + 2*len(r.session)
	for _, root := range r.roots {
		size += 16 + len(root)
	}
	return size
}

// weight is about how many bytes a session takes.
func (s *session) weight() int {
	size := 1024 + 4*len(s.id) + s.now.size()
	if s.replayed != nil {
		size += s.replayed.size()
	}
	if s.waiting != nil {
		size += len(s.waiting.before) + len(s.waiting.after) + len(s.waiting.meta)
	}
	for _, root := range s.roots {
		size += 16 + len(root)
	}
	return size
}

// plans are the live plans of a session, and what its todo tools wrote.
type plans struct {
	board translate.PlanSet
	todos translate.Todos
	files map[translate.FilePlan]file // of the board
}

func (p *plans) size() int {
	size := p.board.Size() + p.todos.Size()
	for f := range p.files {
		size += 128 + len(f.ID) + len(f.URI)
	}
	return size
}

// forgetFiles forgets the file plans that are on the board no longer: taken
// back, replaced, or forgotten. It reports whether there were any.
func (p *plans) forgetFiles() (some bool) {
	if len(p.files) == 0 {
		return false
	}
	live := map[translate.FilePlan]bool{}
	for _, f := range p.board.Files() {
		live[f] = true
	}
	for f := range p.files {
		if !live[f] {
			delete(p.files, f)
			some = true
		}
	}
	return some
}
