@description('Name of the account.')
@minLength(3)
@maxLength(24)
param name string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('How it is replicated.')
@allowed([
  'Standard_LRS'
  'Standard_ZRS'
])
param sku string

@description('Whether the account is reachable from outside the virtual network.')
param publicAccess bool

@description('Object id of the identity that the app runs as.')
@minLength(1)
param principalId string

@description('Resource id of the workspace that gets its logs; empty for none.')
param workspaceId string

var blobDataOwner = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
var tableDataContributor = '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'

resource account 'Microsoft.Storage/storageAccounts@2026-04-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: {
    name: sku
  }
  properties: {
    accessTier: 'Hot'
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    allowSharedKeyAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    supportsHttpsTrafficOnly: true
    networkAcls: {
      bypass: 'None'
      defaultAction: publicAccess ? 'Allow' : 'Deny'
    }
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2026-04-01' = {
  parent: account
  name: 'default'
  properties: {
    deleteRetentionPolicy: {
      enabled: true
      days: 7
    }
  }
}

resource packages 'Microsoft.Storage/storageAccounts/blobServices/containers@2026-04-01' = {
  parent: blobs
  name: 'packages'
  properties: {
    publicAccess: 'None'
  }
}

resource tables 'Microsoft.Storage/storageAccounts/tableServices@2026-04-01' = {
  parent: account
  name: 'default'
}

resource agents 'Microsoft.Storage/storageAccounts/tableServices/tables@2026-04-01' = {
  parent: tables
  name: 'agents'
}

resource hostStorage 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(account.id, principalId, blobDataOwner)
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', blobDataOwner)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'Storage Blob Data Owner: the Functions host keeps its leases, keys and the package here.'
  }
}

resource agentStore 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(agents.id, principalId, tableDataContributor)
  scope: agents
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', tableDataContributor)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'Storage Table Data Contributor: the app keeps agent definitions in this one table.'
  }
}

resource blobLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (!empty(workspaceId)) {
  name: 'to-workspace'
  scope: blobs
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'StorageWrite'
        enabled: true
      }
      {
        category: 'StorageDelete'
        enabled: true
      }
    ]
  }
}

resource tableLogs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = if (!empty(workspaceId)) {
  name: 'to-workspace'
  scope: tables
  properties: {
    workspaceId: workspaceId
    logs: [
      {
        category: 'StorageWrite'
        enabled: true
      }
      {
        category: 'StorageDelete'
        enabled: true
      }
    ]
  }
}

@description('Resource id of the account.')
output id string = account.id

@description('Name of the account, once its roles are given.')
output name string = account.name

@description('Address of the container that packages are deployed to.')
output packageContainerUri string = '${account.properties.primaryEndpoints.blob}${packages.name}'

@description('Address of the table service.')
output tableEndpoint string = account.properties.primaryEndpoints.table
