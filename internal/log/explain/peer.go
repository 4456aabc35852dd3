package explain

import (
	"encoding/json"
	"fmt"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"

	"github.com/Masterminds/semver/v3"
)

// Peer returns a peer from a text for [Named] and the JSON Pointers of its capabilities.
func Peer(text string, has []string) (*conversation.Peer, error) {
	capabilities := map[string]any{}
	for _, pointer := range has {
		steps, err := wire.ParsePointer(pointer)
		if err != nil || len(steps) == 0 {
			return nil, fmt.Errorf("want a JSON Pointer such as /fs/readTextFile, not %q", pointer)
		}
		in := capabilities
		for _, step := range steps[:len(steps)-1] {
			next, ok := in[step].(map[string]any)
			if !ok {
				next = map[string]any{}
				in[step] = next
			}
			in = next
		}
		if last := steps[len(steps)-1]; in[last] == nil {
			in[last] = true
		}
	}
	p := &conversation.Peer{Implementation: conversation.Implementation(Named(text))}
	p.Capabilities, _ = json.Marshal(capabilities)
	return p, nil
}

// Named reads a peer from its name, or from its name, a space and its version.
func Named(text string) rule.Peer {
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		if _, err := semver.NewVersion(text[i+1:]); err == nil {
			return rule.Peer{Name: text[:i], Version: text[i+1:]}
		}
	}
	return rule.Peer{Name: text}
}
