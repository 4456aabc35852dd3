package paths

import (
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
)

// A place says where messages of one kind have paths. The kind is a method, or begins with update
// or responseTo. In pointers, * matches every element of a list.
type place struct {
	from     dispatch.Side
	kind     string
	pointers []string
}

// Prefixes of kinds.
const (
	update     = "update "
	responseTo = "response to "
)

// places returns all places of version 1 of the protocol, including its unstable part. A test
// compares them with the schemas and says why other properties with a path or a URI are left out.
// The adapter maps no text, no input or output of tools, no commands and no environment.
func places() []place {
	return []place{
		{dispatch.Client, "session/new", session()},
		{dispatch.Client, "session/load", session()},
		{dispatch.Client, "session/resume", session()},
		{dispatch.Client, "session/fork", session()},
		{dispatch.Client, "session/options", folders("/params")},
		{dispatch.Client, "session/list", []string{"/params/cwd"}},
		{dispatch.Agent, responseTo + "session/list", folders("/result/sessions/*")},
		{dispatch.Client, conversation.Prompt, block("/params/prompt/*")},

		{dispatch.Agent, "fs/read_text_file", []string{"/params/path"}},
		{dispatch.Agent, "fs/write_text_file", []string{"/params/path"}},
		{dispatch.Agent, "terminal/create", []string{"/params/cwd"}},
		{dispatch.Agent, "session/request_permission", toolCall("/params/toolCall")},

		{dispatch.Agent, update + "user_message_chunk", block("/params/update/content")},
		{dispatch.Agent, update + "agent_message_chunk", block("/params/update/content")},
		{dispatch.Agent, update + "agent_thought_chunk", block("/params/update/content")},
		{dispatch.Agent, update + "tool_call", toolCall("/params/update")},
		{dispatch.Agent, update + "tool_call_update", toolCall("/params/update")},
		{dispatch.Agent, update + "plan_update", []string{"/params/update/plan/uri", "/params/update/plan/path"}},
		{dispatch.Agent, update + "compaction_update", block("/params/update/summary/*")},
		{dispatch.Agent, update + "compaction_summary_chunk", block("/params/update/content")},
		{dispatch.Agent, update + "subagent_update", folders("/params/update")},
		{dispatch.Agent, update + "prompt_suggestions_update", block("/params/update/suggestions/*/prompt/*")},
		{dispatch.Agent, update + "session_message", block("/params/update/content/*")},
		{dispatch.Agent, update + "session_message_chunk", block("/params/update/content")},
	}
}

// session returns the places in a request that opens a session.
func session() []string {
	return append(folders("/params"), block("/params/systemPrompt/content/*")...)
}

func folders(at string) []string { return []string{at + "/cwd", at + "/additionalDirectories/*"} }

// block returns the places in a content block: an image, a resource_link, or a resource.
func block(at string) []string { return []string{at + "/uri", at + "/resource/uri"} }

// toolCall returns the places in a tool call: its locations, diffs, and content blocks.
func toolCall(at string) []string {
	return append(block(at+"/content/*/content"), at+"/content/*/path", at+"/locations/*/path")
}
