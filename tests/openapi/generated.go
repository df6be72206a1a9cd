// Calls the service through the package that oapi-codegen writes, and prints what it saw as one JSON object:
// `generated ADDRESS QUERY_KEY ADMIN_KEY`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"generated/service"
)

const version = "2025-05-01-preview"
const name = "generated-go"

type object = map[string]any

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func client(key string) *service.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		if key != "" {
			request.Header.Set("api-key", key)
		}
		return nil
	}
	return must(service.NewClientWithResponses(os.Args[1], service.WithRequestEditorFn(authorize)))
}

func code(refused *service.Error) string {
	if refused == nil {
		return "none"
	}
	return refused.Error.Code
}

func retrieved(asking *service.ClientWithResponses, agent string) object {
	text, index, filter := "Why is the street grid of Phoenix so visible?", "earth_at_night", "page_number eq '105'"
	content := []service.RetrieveRequest20250501PreviewMessageContent{{Type: "text", Text: &text}}
	params := []service.RetrieveRequest20250501PreviewIndexParams{{IndexName: &index, FilterAddOn: &filter}}
	var body service.RetrieveRequest
	check(body.FromRetrieveRequest20250501Preview(service.RetrieveRequest20250501Preview{
		Messages:          []service.RetrieveRequest20250501PreviewAgentMessage{{Role: "user", Content: content}},
		TargetIndexParams: &params,
	}))
	asked := &service.RetrieveFromAgentOdataParams{ApiVersion: version}
	answer := must(asking.RetrieveFromAgentOdataWithResponse(ctx, agent, asked, body))
	keys, searches, refused := []string{}, 0, answer.JSON404
	if answer.JSON401 != nil {
		refused = answer.JSON401
	}
	if answer.JSON200 != nil {
		found := must(answer.JSON200.AsRetrieveResponse20250501Preview())
		searches = len(found.Activity)
		for _, reference := range found.References {
			keys = append(keys, reference.DocKey)
		}
	}
	return object{"status": answer.StatusCode(), "keys": keys, "searches": searches, "code": code(refused)}
}

func managed(managing *service.ClientWithResponses) object {
	description, star := "Made through generated types.", "*"
	var body service.Agent
	check(body.FromAgent20250501Preview(service.Agent20250501Preview{
		Name:          name,
		Description:   &description,
		TargetIndexes: []service.Agent20250501PreviewTargetIndex{{IndexName: "earth_at_night"}},
	}))
	get := &service.GetAgentParams{ApiVersion: version}
	created := must(managing.PutAgentWithResponse(ctx, name, &service.PutAgentParams{ApiVersion: version}, body))
	found := must(managing.GetAgentWithResponse(ctx, name, get))
	anew := &service.PutAgentParams{ApiVersion: version, IfNoneMatch: &star}
	again := must(managing.PutAgentWithResponse(ctx, name, anew, body))
	deleted := must(managing.DeleteAgentWithResponse(ctx, name, &service.DeleteAgentParams{ApiVersion: version}))
	missing := must(managing.GetAgentWithResponse(ctx, name, get))
	before, after := must(created.JSON201.AsStoredAgent20250501Preview()), must(found.JSON200.AsStoredAgent20250501Preview())
	return object{
		"statuses": []int{
			created.StatusCode(), found.StatusCode(), again.StatusCode(), deleted.StatusCode(), missing.StatusCode(),
		},
		"description": *after.Description,
		"tagged":      *before.OdataEtag == *after.OdataEtag,
		"codes":       []string{code(again.JSON412), code(missing.JSON404)},
	}
}

func fromWorkspace(asking *service.ClientWithResponses) object {
	index, query, most := "earth-at-night", "Phoenix", 2
	asked := service.ModelStudioRetrieve{IndexId: &index, Query: &query, RerankTopN: &most}
	none := &service.RetrieveFromWorkspaceParams{}
	answer := must(asking.RetrieveFromWorkspaceWithResponse(ctx, "local", none, asked))
	return object{"status": answer.StatusCode(), "nodes": len(answer.JSON200.Data.Nodes)}
}

func main() {
	asking := client(os.Args[2])
	refused := must(asking.ListAgentsWithResponse(ctx, &service.ListAgentsParams{ApiVersion: version}))
	seen := object{
		"retrieved": retrieved(asking, "earth-at-night"),
		"missing":   retrieved(asking, "nobody"),
		"anonymous": retrieved(client(""), "earth-at-night"),
		"managed":   managed(client(os.Args[3])),
		"workspace": fromWorkspace(asking),
		"refused":   code(refused.JSON403),
	}
	fmt.Println(string(must(json.Marshal(seen))))
}
