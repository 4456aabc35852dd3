package versions

import (
	"strings"
	"unicode"

	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// In version 2, an agent may offer skills next to its commands. A prompt refers to one by a block
// of its own. To a client of version 1 a skill is a command, which a prompt names as /NAME.

// maxSkills is the maximum length of the names in session.skills, in bytes.
const maxSkills = 16 << 10

// noteSkills notes the names of the skills in a list of commands.
func (s *session) noteSkills(commands []byte) {
	elements, _ := wire.Elements(commands)
	s.skills = ""
	for _, element := range elements {
		o := open(element)
		name, _ := o.Text("name")
		if textOf(o, "type") == "skill" && len(s.skills)+len(name) < maxSkills && len(strings.Fields(name)) == 1 {
			s.skills += " " + name + " "
		}
	}
}

// prompt translates a prompt to version 2.
func (a *Agent) prompt(m *dispatch.Message, params *wire.Object) {
	prompt := each(blockTo2)(params.Raw("prompt"))
	m.Because(whyAgent2)
	if with := a.skill(m, elementsOf(prompt)); with != nil {
		prompt = wire.List(with)
	}
	setMember(m, params, "prompt", prompt)
}

// skill refers to a skill in a prompt whose first text begins with the name of one. The reference
// is the first block, because an agent need not accept it at other places. If there is none, it
// returns nil.
func (a *Agent) skill(m *dispatch.Message, blocks [][]byte) [][]byte {
	for i, raw := range blocks {
		block := open(raw)
		text, isText := blockText(block)
		if !isText {
			continue
		}
		command, isCommand := strings.CutPrefix(text, "/")
		end := strings.IndexFunc(command, unicode.IsSpace)
		if end < 0 {
			end = len(command)
		}
		name, rest := command[:end], strings.TrimSpace(command[end:])
		isSkill := false
		if isCommand {
			a.with(m.Session, func(s *session) { isSkill = strings.Contains(s.skills, " "+name+" ") })
		}
		if !isSkill {
			return nil
		}
		to := append([][]byte{object(nil).text("type", "skill").text("name", name).json()}, blocks[:i]...)
		if rest != "" {
			to = append(to, wire.Splice(nil, raw, block.Set(wire.Setting{Name: "text", Value: wire.Quote(nil, rest)})...))
		}
		m.Because(whySkill)
		return append(to, blocks[i+1:]...)
	}
	return nil
}

// skillTo1 translates a reference to a skill to text. It returns other blocks as they are.
func skillTo1(raw []byte) []byte {
	if o := open(raw); textOf(o, "type") == "skill" {
		return textBlock("/" + textOf(o, "name") + " ")
	}
	return raw
}

// referredSkill returns the name of the first skill that a prompt refers to, if there is one.
func referredSkill(prompt []byte) (name string, ok bool) {
	blocks, _ := wire.Elements(prompt)
	for _, raw := range blocks {
		if o := open(raw); textOf(o, "type") == "skill" {
			return textOf(o, "name"), true
		}
	}
	return "", false
}
