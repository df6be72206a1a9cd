@description('Name of the resource, and of its host name.')
@minLength(2)
@maxLength(64)
param name string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Name of the deployment that plans.')
@minLength(2)
@maxLength(64)
param deployment string

@description('Its model.')
param modelName string

@description('Version of the model.')
param modelVersion string

@description('Where it is processed.')
@allowed([
  'GlobalStandard'
  'DataZoneStandard'
  'Standard'
])
param skuName string

@description('Rate limit in thousands of tokens a minute.')
@minValue(1)
@maxValue(150000)
param capacity int

@description('Whether the resource is reachable from outside the virtual network.')
param publicAccess bool

@description('Resource id of the workspace that gets its logs; empty for none.')
param workspaceId string

resource account 'Microsoft.CognitiveServices/accounts@2026-07-01' = {
  name: name
  location: location
  tags: tags
  kind: 'OpenAI'
  sku: {
    name: 'S0'
  }
  properties: {
    customSubDomainName: name
    disableLocalAuth: true
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    networkAcls: {
      bypass: 'AzureServices'
      defaultAction: publicAccess ? 'Allow' : 'Deny'
    }
  }
}

resource planner 'Microsoft.CognitiveServices/accounts/deployments@2026-07-01' = {
  parent: account
  name: deployment
  sku: {
    name: skuName
    capacity: capacity
  }
  properties: {
    model: {
      format: 'OpenAI'
      name: modelName
      version: modelVersion
    }
    versionUpgradeOption: 'OnceCurrentVersionExpired'
  }
}

resource logs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (!empty(workspaceId)) {
  name: 'to-workspace'
  scope: account
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'Audit'
        enabled: true
      }
      {
        category: 'RequestResponse'
        enabled: true
      }
    ]
  }
}
