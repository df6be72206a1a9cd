@description('Name of the endpoint.')
@minLength(2)
@maxLength(64)
param name string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Resource id of what is reached through it.')
param targetId string

@description('Which of its services.')
@allowed([
  'blob'
  'table'
  'searchService'
  'account'
  'sites'
  'azuremonitor'
])
param groupId string

@description('Resource id of the subnet that the endpoint stands in.')
param subnetId string

@description('Where its name is registered: the configurations of a private DNS zone group; none where a policy does it.')
param zones array

resource endpoint 'Microsoft.Network/privateEndpoints@2025-09-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    subnet: {
      id: subnetId
    }
    privateLinkServiceConnections: [
      {
        name: groupId
        properties: {
          privateLinkServiceId: targetId
          groupIds: [
            groupId
          ]
        }
      }
    ]
  }
}

resource names 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-09-01' = if (!empty(zones)) {
  parent: endpoint
  name: 'default'
  properties: {
    privateDnsZoneConfigs: zones
  }
}
