package clients

import (
	"slices"
	"strconv"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/conformance"
	"acpshim/internal/log/validate"
)

// request judges a request of the client.
func (j *judge) request(line []byte, method string, message *wire.Object) {
	params := message.Open("params")
	session, _ := params.Text("sessionId")
	r := &request{n: j.n, id: message.Raw("id"), method: method, session: session, line: line, at: j.now}
	if other := j.pending[wire.ID(r.id)]; other != nil {
		j.advise(ruleEnvelope, "", "your "+number(j.n)+" "+method+" with the id "+quote(r.id)+" of your pending "+number(other.n)+" "+other.method, "pending requests have different ids: responses could not be told apart")
	}
	j.pending[wire.ID(r.id)] = r
	if j.peer == nil && method != acp.Initialize && !j.tried[ruleInitialize] {
		j.tried[ruleInitialize] = true
		j.fault(ruleInitialize, "", "your "+number(j.n)+" "+method+" before initialize", "initialize MUST be the first request")
	}
	switch method {
	case acp.Initialize:
		j.initialize(line, params)
		return
	case acp.SessionNew:
		j.newSession(line, params)
	case acp.SessionPrompt:
		j.prompts[session] = j.n
		j.ofSession(r)
		j.prompt(line, params)
	case acp.SessionSetMode, acp.SessionSetConfigOption:
		j.ofSession(r)
	case acp.SessionCancel:
		j.fault(ruleCancel, "", "your "+number(j.n)+" session/cancel with the id "+quote(r.id), "it is a notification, which has no id and gets no response")
		j.cancel(session)
	default:
		j.unannounced(method)
		return
	}
	j.tried[ruleAnnounced] = true
}

// notification judges a notification of the client.
func (j *judge) notification(method string, message *wire.Object) {
	session, _ := message.Open("params").Text("sessionId")
	if method == acp.SessionCancel {
		j.tried[ruleCancel] = true
		j.ofSession(&request{n: j.n, method: method, session: session})
		j.cancel(session)
	}
}

// initialize judges the first request.
func (j *judge) initialize(line []byte, params *wire.Object) {
	j.tried[ruleInitialize], j.tried[ruleInfo] = true, true
	if j.peer != nil {
		j.fault(ruleInitialize, "", "your "+number(j.n)+", a second initialize on this connection", "a client sends initialize once")
		return
	}
	j.peer, j.initialization = &conformance.Peer{}, line
	version := params.Raw("protocolVersion")
	if isInteger(version) {
		j.peer.Protocol, _ = strconv.Atoi(wire.ID(version))
		j.isNewer = j.peer.Protocol != 1
	} else {
		j.fault(ruleInitialize, "", "your "+number(j.n)+" initialize with protocolVersion "+quote(version)+" ("+kind(version)+")", "protocolVersion MUST be an integer, such as 1")
	}
	info := params.Open("clientInfo")
	if info == nil && j.isNewer {
		info = params.Open("info") // version 2
	}
	j.peer.Name, j.peer.Version = info.Info("name"), info.Info("version")
	if j.peer.Name == "" || j.peer.Version == "" {
		j.fault(ruleInfo, "", "your "+number(j.n)+" initialize without a name and a version in clientInfo", "clients SHOULD send both")
	}
	if !j.isNewer {
		j.breaks(ruleInitialize, acp.Initialize, nil, line, "/params/clientCapabilities")
	}
}

// newSession judges session/new.
func (j *judge) newSession(line []byte, params *wire.Object) {
	j.tried[ruleSession] = true
	at := "your " + number(j.n) + " session/new "
	cwd, isText := params.Text("cwd")
	servers := params.Raw("mcpServers")
	switch {
	case params == nil || params.Get("cwd") == nil:
		j.fault(ruleSession, "", at+"without cwd", "cwd is required, and MUST be an absolute path")
	case !isText || !isAbsolute(cwd):
		j.fault(ruleSession, "", at+"with cwd "+quote(params.Raw("cwd")), "cwd MUST be an absolute path")
	}
	list, isList := wire.Elements(servers)
	if !isList {
		j.fault(ruleSession, "", at+"with mcpServers "+kind(servers), "mcpServers is a list, which may be empty")
		return
	}
	for i, server := range list {
		j.tried[ruleMCP] = true
		o, _ := wire.Parse(server)
		if transport, _ := o.Text("type"); transport != "" && transport != "stdio" {
			j.fault(ruleMCP, "", at+"with mcpServers["+strconv.Itoa(i)+"].type "+quote(o.Raw("type")), "the agent announced only stdio: it has no "+transport+" in agentCapabilities.mcpCapabilities")
			return
		}
	}
	j.breaks(ruleSession, acp.SessionNew, nil, line, "/params/mcpServers", "/params/additionalDirectories")
}

// isAbsolute reports whether a path is absolute on any system: the agent may run on another one.
func isAbsolute(path string) bool {
	isDrive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) || isDrive
}

// ofSession judges which session a message names.
func (j *judge) ofSession(r *request) {
	j.tried[ruleSessionFirst] = true
	if !j.sessions[r.session] {
		got := "with the sessionId " + strconv.Quote(short(r.session))
		if r.session == "" {
			got = "without a sessionId"
		}
		j.fault(ruleSessionFirst, "", "your "+number(r.n)+" "+r.method+" "+got, "use the sessionId that the agent returned for your session/new")
	}
}

// prompt judges the content of a prompt. The agent announced text and links only.
func (j *judge) prompt(line []byte, params *wire.Object) {
	j.tried[ruleContent] = true
	at := "your " + number(j.n) + " session/prompt "
	blocks, isList := wire.Elements(params.Raw("prompt"))
	if !isList {
		got := kind(params.Raw("prompt"))
		if params.Get("content") != nil && params.Get("prompt") == nil {
			got += `, and there is "content"`
		}
		j.fault(ruleContent, "", at+"with prompt "+got, "the content is a list with the name prompt")
		return
	}
	needs := map[string]string{acp.ContentImage: "image", acp.ContentAudio: "audio", acp.ContentResource: "embeddedContext"}
	for i, block := range blocks {
		o, _ := wire.Parse(block)
		kind, _ := o.Text("type")
		if capability := needs[kind]; capability != "" {
			j.fault(ruleContent, "", at+"with prompt["+strconv.Itoa(i)+"].type "+quote(o.Raw("type")), "the agent did not announce agentCapabilities.promptCapabilities."+capability+": send text or resource_link")
			return
		}
	}
	j.breaks(ruleContent, acp.SessionPrompt, nil, line, "/params/prompt")
}

// capabilities says what an agent announces that has a method.
var capabilities = map[string]string{
	acp.SessionLoad: "agentCapabilities.loadSession", acp.Authenticate: "authMethods", acp.Logout: "agentCapabilities.auth.logout",
	acp.SessionSetModel: "models in the response to session/new",
}

// unannounced judges a request that the agent does not have.
func (j *judge) unannounced(method string) {
	at := "your " + number(j.n) + " " + method
	capability := capabilities[method]
	if rest, ok := strings.CutPrefix(method, "session/"); ok && capability == "" {
		capability = "agentCapabilities.sessionCapabilities." + rest
	}
	switch isProtocol := slices.Contains(validate.Values("method"), method) || method == acp.SessionSetModel; {
	case strings.HasPrefix(method, "_"), strings.HasPrefix(method, "$/"):
	case !isProtocol:
		j.tried[ruleAnnounced] = true
		j.advise(ruleAnnounced, "", at, "the protocol has no such method: names of your own begin with _")
	case capability == "":
		j.tried[ruleAnnounced] = true
		j.fault(ruleAnnounced, "", at, "the agent did not announce it")
	default:
		j.tried[ruleAnnounced] = true
		j.fault(ruleAnnounced, "", at, "the agent did not announce "+capability)
	}
}
