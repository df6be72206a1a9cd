@description('Name of the search service, in the resource group that this module is deployed to.')
@minLength(2)
@maxLength(60)
param searchName string

@description('Object id of the identity that searches.')
@minLength(1)
param principalId string

@description('Whether the service vectorizes queries, for which it needs an identity of its own.')
param vectorizes bool

var indexDataReader = '1407120a-92aa-4202-b7e9-c0e197c71c8f'

resource service 'Microsoft.Search/searchServices@2025-05-01' existing = {
  name: searchName
}

resource reader 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(service.id, principalId, indexDataReader)
  scope: service
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', indexDataReader)
    principalId: principalId
    principalType: 'ServicePrincipal'
    description: 'Search Index Data Reader: the app searches, and changes nothing.'
  }
}

@description('Resource id of the service.')
output searchId string = service.id

@description('Address of the service.')
output endpoint string = 'https://${service.name}.search.windows.net'

@description('Object id of the own identity of the service; empty where it does not vectorize.')
output searchPrincipalId string = vectorizes ? service.identity.principalId : ''
