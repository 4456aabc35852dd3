package rule

// A method is what the protocol says of one.
type method struct {
	from    Side
	request bool
}

// methods are those of the protocol's stable part, and of what agents and
// clients have sent for long. There are others: that one is not here says
// nothing of it.
var methods = map[string]method{
	"initialize":                 {Client, true},
	"authenticate":               {Client, true},
	"logout":                     {Client, true},
	"session/new":                {Client, true},
	"session/load":               {Client, true},
	"session/resume":             {Client, true},
	"session/fork":               {Client, true},
	"session/list":               {Client, true},
	"session/close":              {Client, true},
	"session/delete":             {Client, true},
	"session/set_mode":           {Client, true},
	"session/set_model":          {Client, true},
	"session/set_config_option":  {Client, true},
	"session/prompt":             {Client, true},
	"session/cancel":             {Client, false},
	"session/update":             {Agent, false},
	"session/request_permission": {Agent, true},
	"fs/read_text_file":          {Agent, true},
	"fs/write_text_file":         {Agent, true},
	"terminal/create":            {Agent, true},
	"terminal/output":            {Agent, true},
	"terminal/release":           {Agent, true},
	"terminal/wait_for_exit":     {Agent, true},
	"terminal/kill":              {Agent, true},
	"elicitation/create":         {Agent, true},
	"elicitation/complete":       {Agent, false},
	"$/cancel_request":           {Both, false},
}

// only returns the one method that a pattern matches, if it is known.
func (p *pattern) only() (method, bool) {
	if p == nil || len(p.texts) != 1 {
		return method{}, false
	}
	m, ok := methods[p.texts[0]]
	return m, ok
}
