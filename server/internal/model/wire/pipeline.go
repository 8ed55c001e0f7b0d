package wire

import (
	"clave/server/internal/base/fault"
	"clave/server/internal/model/request"
	"clave/server/internal/model/resource"
	"clave/server/internal/model/value"
	pb "clave/server/internal/model/wire/firestorepb"
)

// ParseExecutePipeline parses a request of ExecutePipeline. What its stages and functions mean is not checked here.
func ParseExecutePipeline(r *pb.ExecutePipelineRequest) (db resource.Database, out request.Pipeline, err error) {
	if db, err = resource.ParseDatabase(r.GetDatabase()); err != nil {
		return db, out, err
	}
	if out.At, err = parseAt(r.GetTransaction(), r.GetReadTime(), r.GetNewTransaction()); err != nil {
		return db, out, err
	}
	if out.AutoCommit = r.GetAutoCommitTransaction(); out.AutoCommit && len(out.At.Transaction) == 0 && out.At.Begin == nil {
		return db, out, fault.E(fault.InvalidArgument, "auto_commit_transaction is only permitted with transaction or new_transaction.")
	}
	p := r.GetStructuredPipeline()
	if out.Stages, err = parseStages(p.GetPipeline().GetStages(), maxNesting); err != nil {
		return db, out, err
	}
	out.Options, err = parseExpressions(p.GetOptions(), maxNesting)
	return db, out, err
}

// parseStages parses the stages of a pipeline with at most depth levels.
func parseStages(stages []*pb.Pipeline_Stage, depth int) (out []request.Stage, err error) {
	out = make([]request.Stage, len(stages))
	for i, s := range stages {
		out[i].Name = s.GetName()
		if out[i].Args, err = parseArguments(s.GetArgs(), depth); err != nil {
			return nil, err
		}
		if out[i].Options, err = parseExpressions(s.GetOptions(), depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parseArguments parses arguments with at most depth levels.
func parseArguments(args []*pb.Value, depth int) (out []request.Expression, err error) {
	out = make([]request.Expression, len(args))
	for i, arg := range args {
		if out[i], err = parseExpression(arg, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parseExpressions parses named arguments with at most depth levels.
func parseExpressions(args map[string]*pb.Value, depth int) (out map[string]request.Expression, err error) {
	if len(args) == 0 {
		return nil, nil
	}
	out = make(map[string]request.Expression, len(args))
	for name, arg := range args {
		if out[name], err = parseExpression(arg, depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parseExpression parses an argument with at most depth levels.
func parseExpression(v *pb.Value, depth int) (request.Expression, error) { // long: one case a kind
	if depth == 0 {
		return nil, fault.E(fault.InvalidArgument, "The pipeline is nested too deeply.")
	}
	switch x := v.GetValueType().(type) {
	case *pb.Value_FieldReferenceValue:
		return request.FieldReference(x.FieldReferenceValue), nil
	case *pb.Value_VariableReferenceValue:
		return request.Variable(x.VariableReferenceValue), nil
	case *pb.Value_ReferenceValue:
		return request.Constant{Value: value.Reference(x.ReferenceValue)}, nil
	case *pb.Value_FunctionValue:
		out := &request.Call{Name: x.FunctionValue.GetName()}
		var err error
		if out.Args, err = parseArguments(x.FunctionValue.GetArgs(), depth-1); err != nil {
			return nil, err
		}
		out.Options, err = parseExpressions(x.FunctionValue.GetOptions(), depth-1)
		return out, err
	case *pb.Value_PipelineValue:
		stages, err := parseStages(x.PipelineValue.GetStages(), depth-1)
		return request.Subpipeline(stages), err
	case *pb.Value_ArrayValue:
		items, err := parseArguments(x.ArrayValue.GetValues(), depth-1)
		return listOf(items), err
	case *pb.Value_MapValue:
		members, err := parseExpressions(x.MapValue.GetFields(), depth-1)
		return mapOf(members), err
	default:
		out, err := parseScalar(v, depth)
		return request.Constant{Value: out}, err
	}
}

// listOf returns an array, as a constant if all its elements are.
func listOf(items []request.Expression) request.Expression {
	out := make(value.Array, len(items))
	for i, item := range items {
		c, ok := item.(request.Constant)
		if !ok {
			return request.ListOf(items)
		}
		out[i] = c.Value
	}
	return request.Constant{Value: out}
}

// mapOf returns a map, as a constant if all its values are.
func mapOf(members map[string]request.Expression) request.Expression {
	out := make(value.Map, len(members))
	for name, member := range members {
		c, ok := member.(request.Constant)
		if !ok {
			return request.MapOf(members)
		}
		out[name] = c.Value
	}
	return request.Constant{Value: out}
}
