package conversation

// A stage says how far a request has come. That an adapter holds it and that it has a response are
// two things: a held request has no response yet, and a held response is the only one.
type stage int

const (
	unbegun  stage = iota // it is not pending yet
	asked                 // its receiver has it or will get it, and has not responded
	held                  // an adapter holds it, so its receiver has not got it
	answered              // it has its response, which passes the adapters
	kept                  // an adapter holds its response
	ended                 // nobody handles it any more
)

// A Step is what happens to a request.
type Step int

// The steps.
const (
	begin   Step = iota
	Hold         // an adapter holds the request
	Forward      // the adapter lets the request go on
	Respond      // its receiver has responded, or acpshim responds in its place
	Keep         // an adapter holds the response
	Deliver      // the adapter lets the response, or another one, go on
	Repeat       // the adapter drops the response and sends the request again
	end
)

// steps has the stage to which a step leads, or unbegun if the step is not possible.
var steps = [ended + 1][end + 1]stage{
	unbegun:  {begin: asked},
	asked:    {Hold: held, Respond: answered, end: ended},
	held:     {Forward: asked, Respond: answered, end: ended},
	answered: {Keep: kept, end: ended},
	kept:     {Deliver: answered, Repeat: asked, end: ended},
}

// advance takes a step, and reports whether it is possible. Nothing else changes the stage.
func (r *Request) advance(s Step) bool {
	to := steps[r.stage][s]
	if to != unbegun {
		r.stage = to
	}
	return to != unbegun
}

// isPending reports whether the request has begun and not ended.
func (r *Request) isPending() bool { return r.stage != unbegun && r.stage != ended }

// HasResponse reports whether a pending request has its response, which is passing the adapters or
// is held by one. Others are dropped.
func (r *Request) HasResponse() bool { return r.stage == answered || r.stage == kept }

// Take takes a step, and reports whether it is possible. Of two responses, it is for the first one
// only.
func (c *Conversation) Take(r *Request, s Step) bool {
	if !r.advance(s) {
		return false
	}
	if s == Repeat && r.isOpen {
		r.isOpen = false
		c.countKind(r, 1)
	}
	return true
}
