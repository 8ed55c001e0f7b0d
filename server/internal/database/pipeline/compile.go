package pipeline

import (
	"slices"
	"strings"

	"clave/server/internal/base/fault"
	"clave/server/internal/model/query"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
)

// Pipeline is a compiled pipeline.
type Pipeline struct {
	db     resource.Database
	source source
	stages []stage
	// nested is set if an expression reads documents. Then no reading is open while rows pass the stages.
	nested bool
	// literals is set if a source is literals. sources are all sources of the outermost pipeline and those inside it.
	literals bool
	sources  []*source
	// writes is the last stage if it writes, which is not among the others, or nil.
	writes *writing
}

// source is where the rows of a pipeline come from.
type source struct {
	// query is the query of a collection, a collection group or the database, normalized, with the pushed stages.
	query *query.Query
	// listed is the query without order and limit, by which rules decide. It may have more filters than query: guards is
	// set then, and stages must not see other documents, because their errors could tell about them.
	listed *query.Query
	guards bool
	// sums, if it is not nil, makes one row of the query's documents, whose fields are at the paths of sumPaths.
	sums     *query.Aggregation
	sumPaths []value.FieldPath
	// sub is the path of a collection below the document of the row around this pipeline.
	sub string
	// documents are the documents of the documents stage.
	documents []resource.Document
	// literals are the rows of the literals stage.
	literals []evaluator
	// kind is the name of the stage.
	kind string
}

// stage makes the sink that executes a stage, whose rows go to next. The frame is that of the row around the
// pipeline.
type stage func(f *frame, next sink) sink

// sink receives rows. row returns errEnough if no more rows are needed. end is called once after the last row, unless
// the execution has failed.
type sink interface {
	row(r *row) error
	end() error
}

// compiler compiles one request.
type compiler struct {
	db resource.Database
	// root is the name of the database's documents as a whole.
	root   string
	stages int
	// inner is the nesting of pipelines.
	inner int
	// nested is set if a pipeline is an argument.
	nested bool
	// sources are the compiled sources.
	sources []*source
	// below is set while filters of a collection below the document of a row are compiled. Names of documents are not
	// compared by its query, which checks them by its parent.
	below bool
}

// Compile compiles a pipeline. It returns InvalidArgument for an invalid one, and Unimplemented with the name of a
// stage or a function that is not implemented.
func Compile(db resource.Database, stages []request.Stage) (*Pipeline, error) {
	c := &compiler{db: db, root: db.Root()}
	p, err := c.pipeline(stages, false)
	if err != nil {
		return nil, err
	}
	p.nested, p.sources = c.nested, c.sources
	p.literals = slices.ContainsFunc(c.sources, func(s *source) bool { return s.kind == "literals" })
	return p, nil
}

// unbuiltStages are the stages of the SDKs that are not implemented.
var unbuiltStages = []string{"search"}

// pipeline compiles the stages of a pipeline. One inside another may begin at the document of a row.
func (c *compiler) pipeline(stages []request.Stage, inner bool) (*Pipeline, error) {
	if c.stages += len(stages); c.stages > maxStages {
		return nil, fault.E(fault.InvalidArgument, "A pipeline has at most %d stages.", maxStages)
	}
	if c.inner++; c.inner > 10 {
		return nil, fault.E(fault.InvalidArgument, "Pipelines are nested too deeply.")
	}
	defer func() { c.inner-- }()
	if len(stages) == 0 {
		return nil, fault.E(fault.InvalidArgument, "A pipeline requires at least one stage.")
	}
	stages, writer, err := c.splitWriter(stages)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{db: c.db}
	if p.source, err = c.source(&stages[0], inner); err != nil {
		return nil, err
	}
	c.sources = append(c.sources, &p.source)
	rest := stages[1:]
	if p.source.query != nil {
		c.below = p.source.sub != ""
		pushed, plain, err := c.push(&p.source, rest)
		if err != nil {
			return nil, err
		}
		c.guard(&p.source, rest, pushed)
		c.below = false
		rest = rest[pushed:]
		if len(rest) > 0 && c.pushSums(&p.source, plain, &rest[0]) {
			rest = rest[1:]
		}
	}
	for i := range rest {
		s, err := c.stage(&rest[i], rest[i+1:])
		if err != nil {
			return nil, err
		}
		p.stages = append(p.stages, s)
	}
	if writer != nil {
		p.writes, err = c.writer(writer)
	}
	return p, err
}

// source compiles the first stage.
func (c *compiler) source(s *request.Stage, inner bool) (out source, err error) {
	out.kind = s.Name
	base := &query.Query{DB: c.db, Limit: query.NoLimit}
	switch s.Name {
	case "collection":
		path, err := c.path(s, 0)
		if err != nil {
			return out, err
		}
		base.Parent, base.From = splitCollection(path)
		out.query = base
	case "collection_group":
		if len(s.Args) != 2 {
			return out, wrongCount(s, 2)
		}
		ancestor, err := c.path(s, 0)
		if err != nil {
			return out, err
		}
		id, ok := constantOf[value.String](s.Args[1])
		if !ok {
			return out, fault.E(fault.InvalidArgument, "The collection_group stage requires the id of a collection.")
		}
		if err := resource.CheckCollectionID(string(id)); err != nil {
			return out, err
		}
		base.Parent, base.From = ancestor, []query.From{{Collection: string(id), AllDescendants: true}}
		out.query = base
	case "database":
		base.From = []query.From{{AllDescendants: true}}
		out.query = base
	case "subcollection":
		path, ok := value.String(""), false
		if len(s.Args) == 1 {
			path, ok = constantOf[value.String](s.Args[0])
		}
		if !ok || !inner || strings.Count(string(path), "/")%2 != 0 || path == "" {
			return out, fault.E(fault.InvalidArgument, "The subcollection stage requires the path of a collection, in a pipeline inside another one.")
		}
		out.sub = string(path)
		_, base.From = splitCollection(out.sub)
		out.query = base // its parent is the document of a row
	case "documents":
		for i := range s.Args {
			path, err := c.path(s, i)
			if err != nil {
				return out, err
			}
			out.documents = append(out.documents, resource.Document{DB: c.db, Path: path})
		}
	case "literals":
		for _, arg := range s.Args {
			switch x := arg.(type) {
			case request.MapOf:
			case request.Constant:
				if x.Value.Kind() != value.KindMap {
					return out, fault.E(fault.InvalidArgument, "The literals stage requires maps.")
				}
			default:
				return out, fault.E(fault.InvalidArgument, "The literals stage requires maps.")
			}
		}
		out.literals, err = c.expressions(s.Args, 1)
	default:
		if slices.Contains(unbuiltStages, s.Name) {
			return out, fault.E(fault.Unimplemented, "The stage %s is not implemented.", s.Name)
		}
		return out, fault.E(fault.InvalidArgument, "A pipeline cannot begin with the stage '%s'.", s.Name)
	}
	return out, err
}

// constantOf returns an argument that is a constant of a type. It returns false for other arguments.
func constantOf[T value.Value](e request.Expression) (T, bool) {
	c, _ := e.(request.Constant)
	v, ok := c.Value.(T)
	return v, ok
}

// wrongCount is the error of a stage with a wrong number of arguments.
func wrongCount(s *request.Stage, want int) error {
	return fault.E(fault.InvalidArgument, "The stage %s takes %d argument(s), but %d were provided.", s.Name, want, len(s.Args))
}

// path returns the path, without a slash before it, of an argument that is a reference.
func (c *compiler) path(s *request.Stage, i int) (string, error) {
	if i >= len(s.Args) {
		return "", wrongCount(s, i+1)
	}
	ref, ok := constantOf[value.Reference](s.Args[i])
	if !ok {
		return "", fault.E(fault.InvalidArgument, "The stage %s requires a reference.", s.Name)
	}
	text := string(ref)
	if strings.HasPrefix(text, c.root) {
		text = text[len(c.root):]
	} else if text != "" && text[0] != '/' {
		return "", fault.E(fault.InvalidArgument, "The stage %s has a reference to another database: %s", s.Name, text)
	}
	path := strings.TrimPrefix(text, "/")
	odd := strings.Count(path, "/")%2 == 0
	switch {
	case path == "" && s.Name == "collection_group":
		return "", nil
	case path == "" || s.Name == "collection" != odd:
		return "", fault.E(fault.InvalidArgument, "The stage %s has an invalid path: %q", s.Name, text)
	}
	return path, resource.CheckPath(path)
}

// splitCollection splits the path of a collection as a query needs it.
func splitCollection(path string) (parent string, from []query.From) {
	at := strings.LastIndexByte(path, '/')
	if at >= 0 {
		parent = path[:at]
	}
	return parent, []query.From{{Collection: path[at+1:]}}
}
