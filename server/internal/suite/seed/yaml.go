package seed

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"clave/server/internal/base/pattern"
)

// yamlLine finds the line in the text of an error of the parser.
var yamlLine = pattern.New(`^yaml: (?:line (\d+): )?`)

// maxYAML is the maximum size of a file of YAML in bytes: its parser takes many times as much before values can be
// counted.
const maxYAML = 4 << 20

// parseYAML parses a file of YAML, which must have one document.
func parseYAML(text []byte, b *budget) (*node, error) {
	if len(text) > maxYAML {
		return nil, &fileError{reason: "a file of YAML has at most 4 MiB; JSON may have 16 MiB"}
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return &node{line: 1, kind: isObject}, nil
	}
	if err == nil {
		var second yaml.Node
		switch next := dec.Decode(&second); {
		case next == nil:
			return nil, &fileError{second.Line, "the file has several documents of YAML; write one"}
		case !errors.Is(next, io.EOF):
			err = next
		}
	}
	if err != nil {
		found := yamlLine.FindStringSubmatch(err.Error())
		failed := &fileError{reason: "this is not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
		if found != nil {
			failed.line, _ = strconv.Atoi(found[1])
			failed.reason = "this is not YAML: " + err.Error()[len(found[0]):]
		}
		return nil, failed
	}
	if len(doc.Content) != 1 {
		return &node{line: 1, kind: isObject}, nil
	}
	return fromYAML(doc.Content[0], b, 0)
}

// scalars are the types of YAML's scalars by their tags.
var scalars = map[string]kind{
	"!!null": isNull, "!!bool": isBool, "!!int": isInteger, "!!float": isDouble, "!!str": isText, "!!binary": isBytes, "!!timestamp": isMoment,
}

// fromYAML converts a value of YAML. Aliases are replaced by what they name.
func fromYAML(y *yaml.Node, b *budget, nesting int) (*node, error) {
	n := &node{line: y.Line}
	if err := b.take(nesting); err != nil {
		return nil, &fileError{n.line, err.Error()}
	}
	switch y.Kind {
	case yaml.AliasNode:
		b.aliases++
		defer func() { b.aliases-- }()
		return fromYAML(y.Alias, b, nesting+1) // an alias inside of itself exceeds the nesting
	case yaml.SequenceNode:
		n.kind = isList
		for _, one := range y.Content {
			item, err := fromYAML(one, b, nesting+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		return n, checkTag(y, "!!seq")
	case yaml.MappingNode:
		n.kind = isObject
		for i := 0; i+1 < len(y.Content); i += 2 {
			name := y.Content[i]
			if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
				return nil, &fileError{name.Line, "the names of members must be texts; merge keys are not supported"}
			}
			value, err := fromYAML(y.Content[i+1], b, nesting+1)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, member{name.Value, name.Line, value})
		}
		return n, checkTag(y, "!!map")
	case yaml.ScalarNode:
		return n, n.scalar(y)
	default:
		return nil, &fileError{n.line, "unexpected content"}
	}
}

// checkTag returns an error for a list or a map with a tag of its own.
func checkTag(y *yaml.Node, usual string) error {
	if tag := y.ShortTag(); tag != usual {
		return &fileError{y.Line, "unknown tag " + tag}
	}
	return nil
}

// scalar sets a node to a scalar of YAML.
func (n *node) scalar(y *yaml.Node) (err error) {
	var known bool
	if n.kind, known = scalars[y.ShortTag()]; !known {
		return &fileError{y.Line, "unknown tag " + y.ShortTag()}
	}
	n.text = y.Value
	switch n.kind {
	case isBool:
		var value bool
		err = y.Decode(&value)
		n.text = strconv.FormatBool(value)
	case isInteger:
		var value int64 // as 0x10, 0o7 and 1_000 of YAML
		err = y.Decode(&value)
		n.text = strconv.FormatInt(value, 10)
	case isDouble:
		var value float64
		err = y.Decode(&value)
		n.text = strconv.FormatFloat(value, 'g', -1, 64)
	case isBytes:
		n.text = strings.Join(strings.Fields(y.Value), "")
	default:
	}
	if err != nil {
		return &fileError{y.Line, "invalid value " + strconv.Quote(y.Value)}
	}
	return nil
}
