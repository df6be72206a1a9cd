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
param localAuth bool = false

@description('Whether the service is reachable from outside the virtual network.')
param publicAccess bool

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
