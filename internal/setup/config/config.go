// Package config reads acpshim's configuration: the shipped one, the user's own file, the file of
// --config, and single keys of the command line. It returns values, or a list of all mistakes.
package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"acpshim/filters/rule"
	"acpshim/internal/adapters/paths"
)

// A Config is a whole, checked configuration. config.toml says what the keys mean.
type Config struct {
	Junk string // pass, stderr, drop
	Plan struct {
		Advertise bool
		Bridge    bool
		Policy    string // checklists, all, latest
		ShowAs    string // plan, message, thought, none
		Prose     string // message, drop
		Tools     bool
		Idle      string // keep, pending
		Tool      []Tool // no two of one name
		File      struct {
			Read  string // disk, client
			Roots []string
		}
	}

	Questions struct{ Ask string } // permission, pass

	Choices struct {
		Bridge bool
		Groups string // keep, flatten
	}
	Version struct{ Bridge bool }
	Repair  struct {
		MCPServers, AuthMethods, Cancel, ToolCalls, Diffs, ShellLines, Version, Resume, Usage, LoginCode, OptionIDs bool
		OptionKinds, Results, SessionID, Refusals, Dismiss, MCPRefused, Echo, Copies, AskedCalls, MessageBreaks     bool
		Chunks, CallIDs, PermissionReasons                                                                          bool
		Authenticate, CancelRequest, SessionFolder                                                                  bool
		OneReject                                                                                                   bool
		Terminals                                                                                                   string // pass, unsupported, unmade
		Load                                                                                                        string // keep, resume, swallow
	}
	Prompt struct {
		Instructions string // a file; "" means none
		Links        string // pass, text
	}
	Opening struct{ Hold, Repeat bool }
	Output  struct{ Terminals, Raw, Report bool }
	Login   struct{ Method string } // "" means none
	Turns   struct {
		Late        string        // pass, hold, drop
		Queue       int           // prompts of a session
		CancelGrace time.Duration // 0 means forever
	}
	Deadline struct {
		Start, Open, Silence time.Duration // 0 means none
		Cancel               bool
		Vendor               time.Duration // 0 means none
	}
	Images   struct{ Files, DropURIs bool }
	Services struct {
		Terminal bool
		FS       string // off, missing, refused
	}
	Gate struct {
		Notices, Compaction, Subagents, BooleanOptions, PromptSuggestions, Cursors string   // pass, drop
		Updates                                                                    []string // kinds
	}
	Limits   struct{ InspectBytes, StateBytes int }
	Shutdown struct{ InputGrace, TermGrace, Drain time.Duration }
	Record   struct {
		Enabled, Required, Redact bool
		Folder                    string // "" is that of the user's state
		MaxLine, KeepBytes        int    // bytes
		KeepDays                  int    // 0 means forever
	}
	Redact    struct{ Keys, Patterns []string }
	Telemetry struct {
		Endpoint string // for traces; "" means none
		Headers  string // the environment variable that has them; "" means none
		Insecure bool   // headers are sent over http to other machines, too
		Contents bool
	}
	Log struct {
		Level string // debug, info, warn, error, off
		File  string // "" is standard error
	}
	Registry struct {
		File string // "" is the copy that Zed keeps
	}
	Connect struct{ Reconnect bool }
	Serve   struct {
		Origins, Hosts []string
		Connections    int
		Idle           time.Duration // 0 means forever
		TokenFile      string        // "" is that of the user's state
	}
	Agents   map[string]Agent // by the names that a user gives them
	Profiles []Profile        // no two of one name; in the order they apply

	Paths       []paths.Prefix // no two of one client, or of one agent
	Permissions []Permission   // no two of one name; in the order they are asked

	Commands []Command // in the order they are announced

	Rules      []Rule          // no two of one name; in the order they apply
	RulesPlace string          // client, agent
	Switches   map[string]bool // the rules that [Config.For] switched on and off, by name

	layers   int              // how many sources were read
	set      *rule.Set        // of Rules; nil until they are compiled
	from     map[string]Place // of each setting, [[plan.tool]] and [[rule]], by its path
	warnings Problems
	texts    map[string]string // of the files that prompt.instructions names, by its values
}

// Repairs returns the names of the keys of repair that are on, sorted.
func (c Config) Repairs() (on []string) {
	for _, k := range c.keys() {
		if name, ok := strings.CutPrefix(k.path, "repair."); ok && k.value() != false && k.value() != "pass" && k.value() != "keep" {
			on = append(on, name)
		}
	}
	slices.Sort(on)
	return on
}

// A key is a setting, a list of tables with keys of their own, or a table of such tables.
type key struct {
	path    string // as in the file, dots between tables
	need    string // what is wanted if a row lacks the key; "" if the key is optional
	outside string // why the tables cannot be in a profile
	setting        // unless it has row or named
	row     func(at Place) row
	named   func(name string) row
}

// A row is a table of a list, or of a table of tables. Its keys are set first. Then add adds it;
// the section says which keys are set and which are faulty. A faulty key does not count as missing.
// The errors are about the whole row, and the warnings about keys without an effect.
type row struct {
	keys []key
	add  func(s *section) (errs, warnings []error)
}

// LogLevels returns the values of log.level.
func LogLevels() []string { return []string{"debug", "info", "warn", "error", "off"} }

// keys returns all keys.
func (c *Config) keys() []key {
	return []key{
		{path: "junk", setting: oneOf(&c.Junk, "pass", "stderr", "drop")},
		{path: "plan.advertise", setting: boolean(&c.Plan.Advertise)},
		{path: "plan.bridge", setting: boolean(&c.Plan.Bridge)},
		{path: "plan.policy", setting: oneOf(&c.Plan.Policy, "checklists", "all", "latest")},
		{path: "plan.show_as", setting: oneOf(&c.Plan.ShowAs, "plan", "message", "thought", "none")},
		{path: "plan.prose", setting: oneOf(&c.Plan.Prose, "message", "drop")},
		{path: "plan.tools", setting: boolean(&c.Plan.Tools)},
		{path: "plan.idle", setting: oneOf(&c.Plan.Idle, "keep", "pending")},
		{path: "plan.tool", outside: "it has a key agent of its own", row: namedRows(&c.Plan.Tool, c.from)},
		{path: "plan.file.read", setting: oneOf(&c.Plan.File.Read, "disk", "client")},
		{path: "plan.file.roots", setting: folders(&c.Plan.File.Roots)},
		{path: "choices.bridge", setting: boolean(&c.Choices.Bridge)},
		{path: "choices.groups", setting: oneOf(&c.Choices.Groups, "keep", "flatten")},
		{path: "version.bridge", setting: boolean(&c.Version.Bridge)},
		{path: "questions.ask", setting: oneOf(&c.Questions.Ask, "permission", "pass")},
		{path: "repair.mcp_servers", setting: boolean(&c.Repair.MCPServers)},
		{path: "repair.mcp_refused", setting: boolean(&c.Repair.MCPRefused)},
		{path: "repair.auth_methods", setting: boolean(&c.Repair.AuthMethods)},
		{path: "repair.authenticate", setting: boolean(&c.Repair.Authenticate)},
		{path: "repair.cancel", setting: boolean(&c.Repair.Cancel)},
		{path: "repair.cancel_request", setting: boolean(&c.Repair.CancelRequest)},
		{path: "repair.tool_calls", setting: boolean(&c.Repair.ToolCalls)},
		{path: "repair.diffs", setting: boolean(&c.Repair.Diffs)},
		{path: "repair.shell_lines", setting: boolean(&c.Repair.ShellLines)},
		{path: "repair.terminals", setting: oneOf(&c.Repair.Terminals, "pass", "unsupported", "unmade")},
		{path: "repair.version", setting: boolean(&c.Repair.Version)},
		{path: "repair.resume", setting: boolean(&c.Repair.Resume)},
		{path: "repair.load", setting: oneOf(&c.Repair.Load, "keep", "resume", "swallow")},
		{path: "repair.usage", setting: boolean(&c.Repair.Usage)},
		{path: "repair.login_code", setting: boolean(&c.Repair.LoginCode)},
		{path: "repair.option_ids", setting: boolean(&c.Repair.OptionIDs)},
		{path: "repair.option_kinds", setting: boolean(&c.Repair.OptionKinds)},
		{path: "repair.results", setting: boolean(&c.Repair.Results)},
		{path: "repair.chunks", setting: boolean(&c.Repair.Chunks)},
		{path: "repair.session_id", setting: boolean(&c.Repair.SessionID)},
		{path: "repair.session_folder", setting: boolean(&c.Repair.SessionFolder)},
		{path: "repair.refusals", setting: boolean(&c.Repair.Refusals)},
		{path: "repair.one_reject", setting: boolean(&c.Repair.OneReject)},
		{path: "repair.dismiss", setting: boolean(&c.Repair.Dismiss)},
		{path: "repair.echo", setting: boolean(&c.Repair.Echo)},
		{path: "repair.copies", setting: boolean(&c.Repair.Copies)},
		{path: "repair.asked_calls", setting: boolean(&c.Repair.AskedCalls)},
		{path: "repair.call_ids", setting: boolean(&c.Repair.CallIDs)},
		{path: "repair.permission_reasons", setting: boolean(&c.Repair.PermissionReasons)},
		{path: "repair.message_breaks", setting: boolean(&c.Repair.MessageBreaks)},
		{path: "prompt.instructions", setting: textOf(&c.Prompt.Instructions, `a file in quotes: an absolute path, or one below the folder of your configuration`, isInstructions, nil)},
		{path: "prompt.links", setting: oneOf(&c.Prompt.Links, "pass", "text")},
		{path: "opening.hold", setting: boolean(&c.Opening.Hold)},
		{path: "opening.repeat", setting: boolean(&c.Opening.Repeat)},
		{path: "output.terminals", setting: boolean(&c.Output.Terminals)},
		{path: "output.raw", setting: boolean(&c.Output.Raw)},
		{path: "output.report", setting: boolean(&c.Output.Report)},
		{path: "login.method", setting: textOf(&c.Login.Method, "the id of an auth method in quotes", nil, nil)},
		{path: "turns.queue", setting: number(&c.Turns.Queue, 0, 1000)},
		{path: "turns.cancel_grace", setting: duration(&c.Turns.CancelGrace)},
		{path: "turns.late", setting: oneOf(&c.Turns.Late, "pass", "hold", "drop")},
		{path: "deadline.start", setting: duration(&c.Deadline.Start)},
		{path: "deadline.open", setting: duration(&c.Deadline.Open)},
		{path: "deadline.silence", setting: duration(&c.Deadline.Silence)},
		{path: "deadline.cancel", setting: boolean(&c.Deadline.Cancel)},
		{path: "deadline.vendor", setting: duration(&c.Deadline.Vendor)},
		{path: "images.files", setting: boolean(&c.Images.Files)},
		{path: "images.drop_uris", setting: boolean(&c.Images.DropURIs)},
		{path: "services.terminal", setting: boolean(&c.Services.Terminal)},
		{path: "services.fs", setting: oneOf(&c.Services.FS, "off", "missing", "refused")},
		{path: "gate.notices", setting: oneOf(&c.Gate.Notices, "pass", "drop")},
		{path: "gate.compaction", setting: oneOf(&c.Gate.Compaction, "pass", "drop")},
		{path: "gate.subagents", setting: oneOf(&c.Gate.Subagents, "pass", "drop")},
		{path: "gate.boolean_options", setting: oneOf(&c.Gate.BooleanOptions, "pass", "drop")},
		{path: "gate.prompt_suggestions", setting: oneOf(&c.Gate.PromptSuggestions, "pass", "drop")},
		{path: "gate.cursors", setting: oneOf(&c.Gate.Cursors, "pass", "drop")},
		{path: "gate.updates", setting: list(&c.Gate.Updates, "kinds of update", checkName)},
		{path: "limits.inspect_bytes", setting: number(&c.Limits.InspectBytes, 4<<10, 1<<30)},
		{path: "limits.state_bytes", setting: number(&c.Limits.StateBytes, 8<<20, 1<<34)},
		{path: "shutdown.input_grace", setting: duration(&c.Shutdown.InputGrace)},
		{path: "shutdown.term_grace", setting: duration(&c.Shutdown.TermGrace)},
		{path: "shutdown.drain", setting: duration(&c.Shutdown.Drain)},
		{path: "record.enabled", setting: boolean(&c.Record.Enabled)},
		{path: "record.required", setting: boolean(&c.Record.Required)},
		{path: "record.redact", setting: boolean(&c.Record.Redact)},
		{path: "record.folder", setting: absolutePath(&c.Record.Folder, "your own folder")},
		{path: "record.max_line", setting: number(&c.Record.MaxLine, 4<<10, 1<<28)},
		{path: "record.keep_bytes", setting: number(&c.Record.KeepBytes, 1<<20, 1<<50)},
		{path: "record.keep_days", setting: number(&c.Record.KeepDays, 0, 10_000)},
		{path: "redact.keys", setting: list(&c.Redact.Keys, "names", checkName)},
		{path: "redact.patterns", setting: list(&c.Redact.Patterns, "regular expressions", parsed(regexp.Compile))},
		{path: "telemetry.endpoint", setting: textOf(&c.Telemetry.Endpoint, "a URL in quotes", nil, checkEndpoint)},
		{path: "telemetry.headers", setting: textOf(&c.Telemetry.Headers, "the name of an environment variable in quotes", isVariable, nil)},
		{path: "telemetry.insecure", setting: boolean(&c.Telemetry.Insecure)},
		{path: "telemetry.contents", setting: boolean(&c.Telemetry.Contents)},
		{path: "log.level", setting: oneOf(&c.Log.Level, LogLevels()...)},
		{path: "log.file", setting: absolutePath(&c.Log.File, "standard error")},
		{path: "registry.file", setting: absolutePath(&c.Registry.File, "the copy that Zed keeps")},
		{path: "connect.reconnect", setting: boolean(&c.Connect.Reconnect)},
		{path: "serve.origins", setting: list(&c.Serve.Origins, "origins", checkOrigin)},
		{path: "serve.hosts", setting: list(&c.Serve.Hosts, "names of hosts", checkHost)},
		{path: "serve.connections", setting: number(&c.Serve.Connections, 1, 1_000)},
		{path: "serve.idle", setting: duration(&c.Serve.Idle)},
		{path: "serve.token_file", setting: absolutePath(&c.Serve.TokenFile, "serve.token in the folder of acpshim's state")},
		{path: "agents", named: agents(&c.Agents, c.from)},
		{path: "profile", row: profiles(&c.Profiles)},
		{path: "path", outside: "put it into a file of its own and name that with --config", row: prefixes(&c.Paths, c.from)},
		{path: "permission", outside: "it has keys client and agent of its own", row: namedRows(&c.Permissions, c.from)},
		{path: "command", outside: "it has a key agent of its own", row: namedRows(&c.Commands, c.from)},
		{path: "rules.place", setting: oneOf(&c.RulesPlace, "client", "agent")},
		{path: "rule", outside: "it has keys client and agent of its own, and rules_on and rules_off switch it", row: rules(&c.Rules, c.from)},
	}
}
