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
])
param groupId string

@description('Resource id of the subnet that the endpoint stands in.')
param subnetId string

@description('Resource id of the virtual network that resolves its name.')
param networkId string

@description('Name of the private DNS zone.')
param zoneName string

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' = {
  name: zoneName
  location: 'global'
  tags: tags
}

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = {
  parent: zone
  name: 'network'
  location: 'global'
  tags: tags
  properties: {
    registrationEnabled: false
    virtualNetwork: {
      id: networkId
    }
  }
}

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

resource names 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2025-09-01' = {
  parent: endpoint
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      {
        name: groupId
        properties: {
          privateDnsZoneId: zone.id
        }
      }
    ]
  }
}
