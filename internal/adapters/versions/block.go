package versions

import (
	"fmt"
	"slices"

	"acpshim/internal/chain/wire"
)

// Version 1 has five types of content blocks, for the assistant or the user. Version 2 has others,
// but limits some numbers.

// blockTo1 translates a content block to version 1, or returns nil if version 1 has no such type.
var blockTo1 = then(skillTo1, oneOfBlocks, with(
	field{name: "annotations", form: with(field{name: "audience", form: some(oneOf("assistant", "user"))})},
))

func oneOfBlocks(raw []byte) []byte {
	if isBlock(textOf(open(raw), "type")) {
		return raw
	}
	return nil
}

// blockTo2 translates a content block to version 2.
var blockTo2 = with(
	field{name: "annotations", form: with(field{name: "priority", form: between(0, 1)})},
	field{name: "size", form: atLeast(0)},
)

// foreign says what the params of a request have that version 1 has not, or "". Skills in a prompt
// have a text of their own.
func foreign(params *wire.Object) string {
	system := open(params.Raw("systemPrompt"))
	for _, raw := range slices.Concat(elementsOf(params.Raw("prompt")), elementsOf(system.Raw("content"))) {
		if kind := textOf(open(raw), "type"); kind != "skill" && !isBlock(kind) {
			return fmt.Sprintf("content of the type %q", kind)
		}
	}
	for _, raw := range elementsOf(params.Raw("mcpServers")) {
		kind, ok := open(raw).Text("type")
		if ok && !slices.Contains([]string{"stdio", "http", "sse", "acp"}, kind) {
			return fmt.Sprintf("MCP servers of the type %q", kind)
		}
	}
	return ""
}

func elementsOf(list []byte) [][]byte {
	elements, _ := wire.Elements(list)
	return elements
}

// promptTo1 translates the line of a prompt to version 1, or returns nil if nothing changes.
func promptTo1(line []byte) []byte {
	is := wire.Pointer{"params", "prompt"}.Raw(line)
	if fitted := each(blockTo1)(is); string(fitted) != string(is) {
		return wire.With(line, []string{"params", "prompt"}, fitted)
	}
	return nil
}

// systemTo2 translates a system prompt to version 2, which has none without content.
var systemTo2 = with(field{"content", some(blockTo2), true})
