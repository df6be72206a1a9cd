@description('Name of the scope.')
param name string

@description('Tags.')
param tags object

@description('Resource id of the workspace.')
param workspaceId string

@description('Resource id of Application Insights.')
param insightsId string

// Open: other telemetry of the network, which is in no scope, is not cut off.
resource scope 'Microsoft.Insights/privateLinkScopes@2023-06-01-preview' = {
  name: name
  location: 'global'
  tags: tags
  properties: {
    accessModeSettings: {
      ingestionAccessMode: 'Open'
      queryAccessMode: 'Open'
    }
  }
}

resource workspace 'Microsoft.Insights/privateLinkScopes/scopedResources@2023-06-01-preview' = {
  parent: scope
  name: 'workspace'
  properties: {
    linkedResourceId: workspaceId
  }
}

resource insights 'Microsoft.Insights/privateLinkScopes/scopedResources@2023-06-01-preview' = {
  parent: scope
  name: 'insights'
  properties: {
    linkedResourceId: insightsId
  }
}

@description('Resource id of the scope, once it knows what belongs to it.')
output id string = scope.id
