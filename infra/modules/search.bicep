@description('Name of the service.')
@minLength(2)
@maxLength(60)
param name string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Pricing tier.')
@allowed([
  'basic'
  'standard'
  'standard2'
  'standard3'
])
param sku string

@description('Replicas.')
@minValue(1)
@maxValue(12)
param replicas int

@description('Partitions.')
@allowed([
  1
  2
  3
  4
  6
  12
])
param partitions int

@description('Billing plan of the semantic ranker.')
@allowed([
  'free'
  'standard'
])
param semanticRanker string

@description('Whether keys are taken too.')
param localAuth bool

@description('Whether the service is reachable from outside the virtual network.')
param publicAccess bool

@description('Object id of who makes indexes and loads documents; empty for nobody.')
param deployerId string

@description('Whether that is a person or an application.')
@allowed([
  'User'
  'ServicePrincipal'
])
param deployerType string

@description('Resource id of the workspace that gets its logs; empty for none.')
param workspaceId string

var searchServiceContributor = '7ca78c08-252a-4471-8644-bb5ff32d4ba0'
var indexDataContributor = '8ebe5a00-799e-43f5-93ac-243d3dce84a7'

resource service 'Microsoft.Search/searchServices@2025-05-01' = {
  name: name
  location: location
  tags: tags
  sku: {
    name: sku
  }
  identity: {
    type: 'SystemAssigned'
  }
  properties: {
    replicaCount: replicas
    partitionCount: partitions
    semanticSearch: semanticRanker
    disableLocalAuth: !localAuth
    authOptions: localAuth ? {
      aadOrApiKey: {
        aadAuthFailureMode: 'http401WithBearerChallenge'
      }
    } : null
    publicNetworkAccess: publicAccess ? 'enabled' : 'disabled'
  }
}

resource makesIndexes 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerId)) {
  name: guid(service.id, deployerId, searchServiceContributor)
  scope: service
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', searchServiceContributor)
    principalId: deployerId
    principalType: deployerType
    description: 'Search Service Contributor: who deploys makes indexes.'
  }
}

resource loadsDocuments 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(deployerId)) {
  name: guid(service.id, deployerId, indexDataContributor)
  scope: service
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', indexDataContributor)
    principalId: deployerId
    principalType: deployerType
    description: 'Search Index Data Contributor: who deploys loads documents.'
  }
}

resource logs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (!empty(workspaceId)) {
  name: 'to-workspace'
  scope: service
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'OperationLogs'
        enabled: true
      }
    ]
  }
}
